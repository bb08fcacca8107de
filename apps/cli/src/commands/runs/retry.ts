import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import type { AgainOptions } from '../../run/runAgain.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, context: Context): void {
  command
    .argument('<run>', 'id of a run that failed or was cancelled')
    .option('--preview', 'only tell which calls would be made again')
    .option('-w, --watch', 'show every step, live, until it is over')
    .option('--idempotency-key <key>', 'the same key again is the same run')
    .option('--json', 'print what is kept and done again, and the id of the new run, as JSON')
    .action(async (id: string, options: AgainOptions) => {
      const { runAgain } = await import('../../run/runAgain.ts');
      await runAgain(context, command.optsWithGlobals(), id, 'retry', options);
    });
  addExamples(command, [
    ['baton runs retry RUN', 'a new run that begins with what was won'],
    ['baton runs retry RUN --preview', 'which calls it would make again'],
  ]);
}
