import type { Command } from 'commander';

import type { Context } from '../context.ts';
import { addExamples } from './examples.ts';

export function define(command: Command, context: Context): void {
  command
    .argument('<file>', 'a file that `baton backup` wrote')
    .option('--data <folder>', 'data folder, which must be new (default: BATON_DATA, else .baton)')
    .action(async (file: string, { data }: { readonly data?: string }) => {
      const { restore } = await import('../backup/backUp.ts');
      await restore(context, { file, data });
    });
  addExamples(command, [
    ['baton restore baton.backup --data restored', 'restore into a new data folder'],
    ['DATABASE_URL=… baton restore baton.backup', 'restore into an empty database of your own'],
  ]);
}
