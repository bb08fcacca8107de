import type { Command } from 'commander';

import type { Context } from '../context.ts';
import { addExamples } from './examples.ts';

export function define(command: Command, context: Context): void {
  command.argument('[folder]', 'where to begin; it is made where it is missing', '.').action(async (folder: string) => {
    const { initFolder } = await import('../init/initFolder.ts');
    await initFolder(context, folder);
  });
  addExamples(command, [
    ['baton init', 'a first workflow and a server configuration here; what is there already stays as it is'],
    ['baton init flows', 'the same in a folder of its own'],
  ]);
}
