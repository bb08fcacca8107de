import type { BodyOf } from '@baton/api/client';
import type { Command } from 'commander';
import { Option } from 'commander';

import type { Context } from '../../context.ts';
import { repeated } from '../arguments.ts';
import { addExamples } from '../examples.ts';

interface Options {
  readonly scope: readonly string[];
  readonly workflow?: readonly string[];
  readonly effects?: string;
  readonly expiresIn?: string;
  readonly maxRuns?: string;
  readonly maxChecks?: string;
  readonly json?: true;
}

export function define(command: Command, context: Context): void {
  command
    .argument('<name>', 'what it is for')
    .requiredOption('-s, --scope <scope>', 'what it may do, such as runs:read; more than once for more', repeated)
    .option('-w, --workflow <workflow>', 'the only workflow that it has to do with; more than once for more', repeated)
    .addOption(
      new Option('--effects <effect>', 'the strongest effect of what it may start').choices([
        'read',
        'idempotent',
        'write',
      ]),
    )
    .option('--expires-in <duration>', 'until when it can be used, such as 90d; for good where this is left out')
    .option('--max-runs <count>', 'how many runs it may have that are not over')
    .option('--max-checks <count>', 'how many workflows it may have checked in a minute')
    .option('--json', 'print the key and what it may do as JSON')
    .action(async (name: string, options: Options) => create(context, command, name, options));
  addExamples(command, [
    ['baton keys create ci -s workflows:write -s runs:write --expires-in 90d', 'the key goes to stdout, this once'],
    ['baton keys create board -s runs:read -w report', 'to look at the runs of one workflow'],
  ]);
}

async function create(context: Context, command: Command, name: string, options: Options): Promise<void> {
  const { scope: scopes, workflow: workflows, effects, expiresIn, maxRuns, maxChecks, json } = options;
  const client = await context.client(command.optsWithGlobals());
  // What a key may be is checked by the server, which says it best.
  const body = {
    name,
    scopes,
    ...(workflows && { workflows }),
    ...(effects !== undefined && { effects }),
    ...(expiresIn !== undefined && { expiresIn }),
    ...((maxRuns ?? maxChecks) !== undefined && {
      limits: {
        ...(maxRuns !== undefined && { runs: Number(maxRuns) }),
        ...(maxChecks !== undefined && { checks: Number(maxChecks) }),
      },
    }),
  };
  const made = await client.keys.create(body as BodyOf<'createKey'>);
  const [{ jsonText }, { oneLine }] = await Promise.all([
    import('../../output/json.ts'),
    import('../../output/text.ts'),
  ]);
  context.stdout.line(json === true ? jsonText(made) : oneLine(made.key));
  context.stderr.line(`It is shown this once. Revoke it with: baton keys revoke ${oneLine(made.id)}`);
}
