import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import type { AgainOptions } from '../../run/runAgain.ts';
import { repeated } from '../arguments.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, context: Context): void {
  command
    .argument('<run>', 'id of a finished run')
    .option('--from <step>', 'path of the step from which on everything is done again; without it, all of it is')
    .option('-i, --input <name=value>', 'an input in place of the one that the run had; more than once', repeated)
    .option('--preview', 'only tell which calls would be made again')
    .option('-w, --watch', 'show every step, live, until it is over')
    .option('--idempotency-key <key>', 'the same key again is the same run')
    .option('--json', 'print what is kept and done again, and the id of the new run, as JSON')
    .action(async (id: string, options: AgainOptions) => {
      const { runAgain } = await import('../../run/runAgain.ts');
      await runAgain(context, command.optsWithGlobals(), id, 'rerun', options);
    });
  addExamples(command, [
    ['baton runs rerun RUN --preview', 'which calls would be made again'],
    ['baton runs rerun RUN --from charge', 'what came before that step is kept'],
    ['baton runs rerun RUN -i city=Chicago', 'all of it, with another input'],
  ]);
}
