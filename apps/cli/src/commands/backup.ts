import type { Command } from 'commander';

import type { Context } from '../context.ts';
import { addExamples } from './examples.ts';

export function define(command: Command, context: Context): void {
  command
    .argument('<file>', 'the file to write; it must not exist')
    .option('--data <folder>', 'data folder (default: BATON_DATA, else .baton)')
    .action(async (file: string, { data }: { readonly data?: string }) => {
      const { backUp } = await import('../backup/backUp.ts');
      await backUp(context, { file, data });
    });
  addExamples(command, [
    ['baton backup baton.backup', 'back up everything, whether Baton runs or not'],
    ['DATABASE_URL=… baton backup baton.backup', 'back up a database of your own'],
  ]);
}
