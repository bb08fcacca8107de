/** `baton runs cancel --filter` and `baton runs retry --filter`: count the runs, ask, act. */
import { type BodyOf, type Client, type ManyRuns, runFilterNames } from '@baton/api/client';
import { defined } from '@baton/primitives';

import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exitCodes.ts';
import { confirmed } from '../inputs/confirmed.ts';
import { jsonText } from '../output/json.ts';
import { oneLine, plural } from '../output/text.ts';

export interface ManyRunsOptions {
  readonly filter: readonly string[];
  readonly preview?: true;
  readonly yes?: true;
  readonly expect?: number;
  readonly reason?: string;
  readonly workflowVersion?: number | 'latest';
  readonly json?: true;
}

type ManyRunsFilter = BodyOf<'cancelRuns'>['filter'];

const oneDone = { cancel: 'is being cancelled', retry: 'was started again' };
const manyDone = { cancel: 'are being cancelled', retry: 'were started again' };

export async function actOnMany(
  context: Context,
  kind: 'cancel' | 'retry',
  { filter: pairs, preview, yes, expect, reason, workflowVersion: version, json }: ManyRunsOptions,
): Promise<void> {
  const filter = filterIn(pairs);
  const client = await context.client();
  const found = await ask(client, kind, { filter, preview: true, ...defined({ version }) });
  const print = (answer: ManyRuns): void => {
    if (json === true) context.stdout.line(jsonText(answer));
  };
  const { stderr } = context;
  const writes =
    kind === 'retry' ? `, which would make ${plural(found.writes, 'call')} with the effect write again` : '';
  stderr.line(
    `${plural(found.count, 'run')} can be ${kind === 'cancel' ? 'cancelled' : 'retried'}${writes}${lookedAt(found)}.`,
  );
  if (preview === true) return print(found);
  if (found.count === 0) return print({ ...found, done: 0 });
  if (yes !== true && expect === undefined)
    await confirmed(context, {
      question: `${kind === 'cancel' ? 'Cancel' : 'Retry'} ${plural(found.count, 'run')}?`,
      refusal: `This would ${kind} ${plural(found.count, 'run')}, and there is no terminal to confirm it on.`,
      hint: `add --yes, or --expect ${found.count} to do it with these only`,
      declined: 'Nothing was done.',
    });
  const done = await ask(client, kind, {
    filter,
    expect: expect ?? found.count,
    ...defined({ reason, version }),
  });
  print(done);
  stderr.line(`${plural(done.done ?? 0, 'run')} ${done.done === 1 ? oneDone[kind] : manyDone[kind]}.`);
  for (const { id, detail } of done.refused ?? []) stderr.line(oneLine(`${id}: ${detail}`));
  if ((done.refused ?? []).length > 0) context.exitCode = exitCodes.failed;
}

const ask = (
  client: Client,
  kind: 'cancel' | 'retry',
  body: BodyOf<'cancelRuns'> & BodyOf<'retryRuns'>,
): Promise<ManyRuns> => (kind === 'cancel' ? client.runs.cancelMany(body) : client.runs.retryMany(body));

function lookedAt({ looked, unread = 0 }: ManyRuns): string {
  const unknown = unread === 0 ? '' : `, without what ${plural(unread, 'run')} did that are not kept any more`;
  return `${looked === undefined ? '' : ` (of the newest ${looked})`}${unknown}`;
}

/** Parses `name=value`; `status` can be repeated. Throws `CommandError`. */
function filterIn(pairs: readonly string[]): ManyRunsFilter {
  const filter: Record<string, string | string[]> = {};
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(0, at));
    const value = pair.slice(at + 1);
    if (!runFilterNames.some((known) => known === name) || value === '')
      throw new CommandError(exitCodes.usage, `--filter is "${pair.slice(0, 80)}".`, {
        hint: `write it as name=value, where the name is one of ${runFilterNames.join(', ')}`,
      });
    filter[name] = name === 'status' ? [filter[name] ?? [], value].flat() : value;
  }
  return filter;
}
