import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, context: Context): void {
  command.argument('<secret>', 'its name').action(async (name: string) => {
    const client = await context.client(command.optsWithGlobals());
    await client.secrets.delete(name);
    context.stderr.line('The secret is gone.');
  });
  addExamples(command, [['baton secrets rm TOKEN', 'what still needs it fails from now on']]);
}
