import type { Command } from 'commander';

import type { Context } from '../context.ts';
import { addExamples } from './examples.ts';

export function define(command: Command, context: Context): void {
  command.argument('[folder]', 'folder for the new files; created if missing', '.').action(async (folder: string) => {
    const { initFolder } = await import('../init/initFolder.ts');
    await initFolder(context, folder);
  });
  addExamples(command, [
    ['baton init', 'write a workflow and an mcp.json here; existing files are kept'],
    ['baton init flows', 'write them to the folder flows'],
  ]);
}
