import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { addExamples } from '../examples.ts';

interface Options {
  readonly reason: string;
  readonly trust?: boolean;
  readonly makeUp?: boolean;
  readonly yes?: boolean;
}

export function define(command: Command, context: Context): void {
  command
    .requiredOption('--reason <text>', 'why, for the audit')
    .option('--trust', 'go on as if nothing had happened in the lost time: for a test installation')
    .option('--make-up', 'let schedules fire the instants of the lost time')
    .option('--yes', 'do not ask')
    .action(async (options: Options) => lift(context, command, options));
  addExamples(command, [
    ['baton fence lift --reason "restored after the fire"', 'let the runs go on; what they may have called is unknown'],
    ['baton fence lift --reason "a copy for tests" --trust --yes', 'let them go on as the database has them'],
  ]);
}

async function lift(context: Context, command: Command, { reason, trust, makeUp, yes }: Options): Promise<void> {
  const client = await context.client(command.optsWithGlobals());
  const { stderr } = context;
  const fence = await client.fence.show();
  const [{ fenceLines }, { confirmed }, { plural }] = await Promise.all([
    import('../../fence/fenceLines.ts'),
    import('../../inputs/confirmed.ts'),
    import('../../check/checkedFile.ts'),
  ]);
  for (const line of fenceLines(fence)) stderr.line(line);
  if (!fence.stands) return;
  if (yes !== true)
    await confirmed(context, {
      question: trust === true ? 'Go on as if nothing had happened since?' : 'Let these runs go on?',
      refusal: 'This lets every run go on that the database has as active.',
      hint: 'look at `baton fence show`, then add --yes',
      declined: 'The fence stands.',
    });
  const { runs, schedules } = await client.fence.lift({
    reason,
    ...(trust === true && { trust }),
    ...(makeUp === true && { makeUp }),
  });
  const unknown = trust === true ? '' : ' What each may have called since is unknown when it first comes up.';
  stderr.line(
    trust === true
      ? 'Lifted. Runs go on as the database has them.'
      : `Lifted. ${plural(runs, 'run')} ${runs === 1 ? 'goes' : 'go'} on.${unknown}`,
  );
  if (schedules.length > 0)
    stderr.line(
      `${plural(schedules.length, 'schedule')} passed over the lost time; \`baton schedules backfill\` runs missed times.`,
    );
}
