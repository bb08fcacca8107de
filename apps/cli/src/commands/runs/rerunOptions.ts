/** What `retry` and `rerun` have in common. */
import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import type { AgainOptions } from '../../run/runAgain.ts';

export function defineAgain(command: Command, context: Context, kind: 'retry' | 'rerun'): void {
  command
    .option('--preview', 'only show which calls would be repeated')
    .option('-w, --watch', 'show every step live until the run ends')
    .option('--idempotency-key <key>', 'a repeated request with this key returns the same run')
    .option('--json', 'print kept steps, repeated calls and the new run’s id as JSON')
    .action(async (id: string, options: AgainOptions) => {
      const { runAgain } = await import('../../run/runAgain.ts');
      await runAgain(context, command.optsWithGlobals(), id, kind, options);
    });
}
