/** What `retry` and `rerun` have in common. */
import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import type { AgainOptions } from '../../run/runAgain.ts';

export function defineAgain(command: Command, context: Context, kind: 'retry' | 'rerun'): void {
  command
    .option('--preview', 'only tell which calls would be made again')
    .option('-w, --watch', 'show every step, live, until it is over')
    .option('--idempotency-key <key>', 'the same key again is the same run')
    .option('--json', 'print what is kept and done again, and the id of the new run, as JSON')
    .action(async (id: string, options: AgainOptions) => {
      const { runAgain } = await import('../../run/runAgain.ts');
      await runAgain(context, command.optsWithGlobals(), id, kind, options);
    });
}
