import type { BodyOf, Client } from '@baton/api/client';
import { defined } from '@baton/primitives';
import { type Command, Option } from 'commander';

import type { Context } from '../../context.ts';
import { limitArgument, repeated } from '../arguments.ts';
import { addExamples } from '../examples.ts';

interface Options {
  readonly scope: readonly string[];
  readonly workflow?: readonly string[];
  readonly effects?: string;
  readonly approve?: string;
  readonly expiresIn?: string;
  readonly maxRuns?: number;
  readonly maxItems?: number;
  readonly maxChecks?: number;
  readonly json?: true;
}

export function define(command: Command, context: Context): void {
  command
    .argument('<name>', 'what the key is for')
    .requiredOption('-s, --scope <scope>', 'what the key may do, such as runs:read; can be repeated', repeated)
    .option('-w, --workflow <workflow>', 'only allow this workflow; can be repeated', repeated)
    .addOption(
      new Option('--effects <effect>', 'the strongest effect of workflows that the key may start').choices([
        'read',
        'idempotent',
        'write',
      ]),
    )
    .addOption(
      new Option('--approve <effect>', 'ask a person before the key does this at the gateway').choices(['write']),
    )
    .option('--expires-in <duration>', 'how long the key is valid, such as 90d; the default is forever')
    .option('--max-runs <count>', 'how many unfinished runs the key may have', limitArgument)
    .option('--max-items <count>', 'how many items all forEach steps of one of its runs may have', limitArgument)
    .option('--max-checks <count>', 'how many workflows the key may check per minute', limitArgument)
    .option('--json', 'print the key and its rights as JSON')
    .action(async (name: string, options: Options) => create(context, command, name, options));
  addExamples(command, [
    ['baton keys create ci -s workflows:write -s runs:write --expires-in 90d', 'create a key; it is printed once'],
    ['baton keys create board -s runs:read -w report', 'create a key that reads the runs of one workflow'],
    [
      'baton keys create agent -s runs:write --approve write',
      'create a key for an agent whose writes a person approves',
    ],
  ]);
}

async function create(context: Context, command: Command, name: string, options: Options): Promise<void> {
  const { scope: scopes, workflow: workflows, effects, approve, expiresIn, json } = options;
  const client = await context.client(command.optsWithGlobals());
  // The server checks the rights, and explains mistakes best.
  const body = {
    name,
    scopes,
    ...(workflows && { workflows }),
    ...defined({ effects, approve, expiresIn }),
    ...limitsIn(options),
  };
  const made = await client.keys.create(body as BodyOf<'createKey'>);
  const [{ jsonText }, { oneLine }] = await Promise.all([
    import('../../output/json.ts'),
    import('../../output/text.ts'),
  ]);
  context.stdout.line(json === true ? jsonText(made) : oneLine(made.key));
  context.stderr.line(`The key is shown only once. Revoke it: baton keys revoke ${oneLine(made.id)}`);
  if (workflows !== undefined) await warnOfUnknown(context, client, workflows);
}

/**
 * A key may be made before its workflow is deployed, so a name that is misspelt is only warned of. The key exists by
 * now, so a list that cannot be read must not make the command fail.
 */
async function warnOfUnknown({ stderr }: Context, client: Client, workflows: readonly string[]): Promise<void> {
  const [{ didYouMean }, { ProblemError, UnreachableError }] = await Promise.all([
    import('@baton/expressions'),
    import('@baton/api/client'),
  ]);
  const all = await Array.fromAsync(client.workflows.all()).catch((error: unknown) => {
    if (error instanceof ProblemError || error instanceof UnreachableError) return undefined;
    throw error;
  });
  if (all === undefined) return;
  const deployed = all.map(({ id }) => id);
  for (const name of workflows.filter((one) => !deployed.includes(one))) {
    const hint = didYouMean(name, deployed);
    stderr.line(`${stderr.paint.yellow('!')} No workflow ${name} is deployed${hint === undefined ? '.' : `; ${hint}`}`);
  }
}

function limitsIn({ maxRuns, maxItems, maxChecks }: Options): { limits?: Record<string, number> } {
  const given = { runs: maxRuns, items: maxItems, checks: maxChecks };
  const limits = Object.entries(given).flatMap(([name, most]) => (most === undefined ? [] : [[name, most] as const]));
  return limits.length === 0 ? {} : { limits: Object.fromEntries(limits) };
}
