import type { Command } from 'commander';

import type { Context } from '../context.ts';
import { addExamples } from './examples.ts';

export function define(command: Command, context: Context): void {
  command
    .argument('<file>', 'a file that `baton backup` wrote')
    .option('--data <folder>', 'data folder, which must be new (default: BATON_DATA, else .baton)')
    .option('--drill', 'restore into a temporary database, verify its audit, and remove it')
    .action(async (file: string, { data, drill: isDrill }: { readonly data?: string; readonly drill?: boolean }) => {
      if (isDrill === true) {
        const { drill } = await import('../backup/drill.ts');
        return drill(context, { file, data });
      }
      const { restore } = await import('../backup/backUp.ts');
      return restore(context, { file, data });
    });
  addExamples(command, [
    ['baton restore baton.backup --data restored', 'restore into a new data folder'],
    ['baton restore --drill baton.backup', 'try a backup, with the secret key of this data folder'],
    ['DATABASE_URL=… baton restore baton.backup', 'restore into an empty database of your own'],
  ]);
}
