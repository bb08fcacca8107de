import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, context: Context): void {
  command
    .option('--data <folder>', 'data folder (default: BATON_DATA, else .baton)')
    .option('-y, --yes', 'do not ask')
    .action(async ({ data, yes = false }: { readonly data?: string; readonly yes?: boolean }) => {
      const { beginAudit } = await import('../../audit/beginAudit.ts');
      await beginAudit(context, { data, isAgreed: yes });
    });
  addExamples(command, [
    ['baton audit begin', 'answer for a database of an older Baton, or after its secret key was lost'],
    ['DATABASE_URL=… BATON_SECRET_KEY=… baton audit begin', 'the same for a database of your own'],
  ]);
}
