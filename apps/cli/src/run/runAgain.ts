/** `baton runs retry` and `baton runs rerun`: print the calls that repeat, start the new run, and follow it if wanted. */
import type { RepeatedCall, RerunResult, Client } from '@baton/api/client';
import { keptText } from '@baton/engine';
import { type Json, type JsonObject, defined } from '@baton/primitives';

import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exitCodes.ts';
import { confirmed } from '../inputs/confirmed.ts';
import { inputsOf } from '../inputs/readInputs.ts';
import { repeatedCallText, unreadText, printRerunResult } from '../output/printRerunResult.ts';

export interface AgainOptions {
  readonly from?: string;
  readonly input?: readonly string[];
  readonly workflowVersion?: number | 'latest';
  readonly preview?: true;
  /** Steps whose lost calls happened; `pay={"id":7}` says what the call answered. */
  readonly happened?: readonly string[];
  readonly notHappened?: readonly string[];
  /** Writes that happened, or may have, are made again without a question. */
  readonly yes?: true;
  readonly watch?: true;
  readonly idempotencyKey?: string;
  readonly json?: true;
}

export async function runAgain(
  context: Context,
  written: string,
  kind: 'retry' | 'rerun',
  options: AgainOptions,
): Promise<void> {
  const { from, input = [], workflowVersion, preview, watch, json = false } = options;
  const client = await context.client();
  const { findRun } = await import('./findRun.ts');
  const id = await findRun(client, written);
  const inputs = input.length === 0 ? undefined : await changedInputs(client, id, input);
  const body: JsonObject = defined({ from, inputs, version: workflowVersion, preview, told: toldIn(options) });
  // A rerun says itself that everything happens again: only a person is asked, and scripts go on.
  const asks = kind === 'retry' || context.isInteractive;
  const previewed =
    asks && preview === undefined && options.yes === undefined
      ? await client.runs[kind](id, { ...body, preview: true })
      : undefined;
  if (previewed !== undefined) noteParent(context, previewed);
  if (previewed?.retriedAs !== undefined) await confirmAnotherRetry(context, previewed.retriedAs);
  const isAgreed = previewed !== undefined && (await confirmWrites(context, previewed));
  // What was latest when it was shown: a version that is deployed meanwhile was not agreed to.
  const agreed =
    workflowVersion === 'latest' && typeof previewed?.version === 'number' ? { version: previewed.version } : {};
  const idempotencyKey = options.idempotencyKey;
  // Of two people who retry at once, the second gets the run of the first.
  const seen = kind === 'retry' && previewed !== undefined ? { retriedAs: previewed.retriedAs ?? null } : {};
  const rerunning = await client.runs[kind](id, { ...body, ...agreed, ...seen }, { idempotencyKey });
  if (previewed === undefined) noteParent(context, rerunning);
  printRerunResult(context, rerunning, { asJson: json, isAgreed });
  if (rerunning.id === undefined) return;
  if (watch === undefined) {
    const { stderr } = context;
    if (stderr.isTerminal) stderr.line(stderr.paint.dim(`Watch it: baton runs watch ${rerunning.id}`));
    return;
  }
  const [{ watchFromTerminal }, { outlineOfVersion }, { workflow, version }] = await Promise.all([
    import('../watch/watchFromTerminal.ts'),
    import('../watch/outlineOfVersion.ts'),
    client.runs.get(rerunning.id),
  ]);
  const outline = version == null ? undefined : await outlineOfVersion(client, workflow, version);
  context.exitCode = await watchFromTerminal(context, client, rerunning.id, { outline, mode: 'live', json });
}

/** A retry of a child run alone leaves the runs above it as they ended. The note names the outermost that can be retried. */
function noteParent({ stderr }: Context, { retryInstead }: RerunResult): void {
  if (retryInstead === undefined) return;
  stderr.line(
    `note: it is a child run of ${retryInstead}. \`baton runs retry ${retryInstead}\` retries it too and keeps`,
  );
  stderr.line('what was done; after a retry of the child alone, that one would make its calls again.');
}

/** Rejects with `CommandError` unless a person agrees to retry a run that another one continues. */
const confirmAnotherRetry = (context: Context, retriedAs: string): Promise<void> =>
  confirmed(context, {
    question: `The run ${retriedAs} continues this one already. Retry it once more?`,
    refusal: `The run ${retriedAs} continues this one already.`,
    hint: `retry that one: baton runs retry ${retriedAs}; add --yes to retry this one once more`,
    declined: 'Nothing was done.',
  });

/** Rejects with `CommandError` if an answer is not JSON. */
function toldIn({ happened = [], notHappened = [] }: AgainOptions): JsonObject[] | undefined {
  const did = happened.map((text) => {
    const at = text.indexOf('=');
    return at < 0
      ? { path: text, happened: true }
      : { path: text.slice(0, at), happened: true, output: answerIn(text.slice(at + 1)) };
  });
  const told = [...did, ...notHappened.map((path) => ({ path, happened: false }))];
  return told.length === 0 ? undefined : told;
}

function answerIn(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw new CommandError(exitCodes.usage, 'What the call answered is not JSON.', {
      hint: `--happened 'STEP={"id": 7}'`,
      cause,
    });
  }
}

/** The inputs of the run, with those given now. Rejects with `CommandError`. */
async function changedInputs(client: Client, id: string, pairs: readonly string[]): Promise<JsonObject> {
  const { workflow, version, inputs } = await client.runs.get(id);
  const schema = version == null ? undefined : (await client.workflows.version(workflow, version)).inputs;
  const before = (inputs ?? {}) as JsonObject;
  const given = inputsOf(pairs, schema);
  const kept = Object.entries(before).filter(([name]) => !Object.hasOwn(given, name));
  if (isLarge(inputs) || kept.some(([, value]) => isLarge(value))) {
    throw new CommandError(exitCodes.usage, 'The inputs of the run are too large to change one by one.', {
      hint: 'start a new run with all of them: baton run NAME --inputs FILE',
    });
  }
  return { ...before, ...given };
}

/** The API shows only the beginning. */
const isLarge = (value: Json | undefined): boolean =>
  value !== null && typeof value === 'object' && !Array.isArray(value) && '$large' in value;

/** More are counted only. */
const shownMax = 10;

/**
 * Resolves to true once a person has read which writes that happened, or may have, are made again, and agrees; to false
 * where there are none. Rejects with `CommandError` otherwise.
 */
async function confirmWrites(context: Context, { kept, again, unread = 0 }: RerunResult): Promise<boolean> {
  const writes = again.filter(
    ({ effect, outcome, lookup, said }) =>
      effect === 'write' && outcome !== 'failed' && (lookup === undefined || isContrary(lookup, said)),
  );
  if (writes.length === 0 && unread === 0) return false;
  const { stderr } = context;
  if (unread > 0) stderr.line(unreadText(unread));
  if (writes.length === 0) return confirmUnread(context, unread);
  stderr.line(`${keptText(kept)} Writes that the new run may repeat:`);
  for (const call of writes.slice(0, shownMax)) stderr.line(`  ${repeatedCallText(call)}`);
  if (writes.length > shownMax) stderr.line(`  and ${writes.length - shownMax} more; --preview lists all`);
  const isOne = writes.length === 1;
  const what = `${isOne ? 'A call that writes' : `${writes.length} calls that write`} ${happened(writes)}`;
  await confirmed(context, {
    question: `${what}. Make ${isOne ? 'it' : 'them'} again?`,
    refusal: `${what}, and would be made again.`,
    hint: agreeHint(writes),
    declined: 'Nothing was done.',
  });
  return true;
}

/** The request says that a call did not happen, of which a person has said that it did. */
const isContrary = (lookup: NonNullable<RepeatedCall['lookup']>, said: RepeatedCall['said']): boolean =>
  lookup.happened === false && said?.happened === true;

function agreeHint(writes: readonly RepeatedCall[]): string {
  const again = `make the ${writes.length === 1 ? 'call' : 'calls'} again`;
  const lost = writes.find(({ mayBeTold }) => mayBeTold === true);
  return lost === undefined
    ? `find out at the server first; add --yes to ${again}`
    : `look at the server first: add \`--happened ${lost.path}\` or \`--not-happened ${lost.path}\`, or --yes to ${again} without knowing`;
}

async function confirmUnread(context: Context, unread: number): Promise<true> {
  await confirmed(context, {
    question: 'Go on?',
    refusal: unreadText(unread),
    hint: 'find out at the servers first; add --yes to go on',
    declined: 'Nothing was done.',
  });
  return true;
}

function happened(writes: readonly RepeatedCall[]): string {
  const certain = writes.filter(({ outcome }) => outcome === 'succeeded').length;
  if (certain === 0) return 'may have happened';
  return certain === writes.length ? 'happened before' : 'happened before, or may have';
}
