import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, context: Context): void {
  command.argument('<secret>', 'name of the secret').action(async (name: string) => {
    const client = await context.client(command.optsWithGlobals());
    await client.secrets.delete(name);
    context.stderr.line('The secret is removed.');
  });
  addExamples(command, [['baton secrets rm TOKEN', 'steps that need the secret fail from now on']]);
}
