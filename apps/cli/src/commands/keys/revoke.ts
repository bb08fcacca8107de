import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, context: Context): void {
  command.argument('<key>', 'id of the key').action(async (id: string) => {
    const client = await context.client(command.optsWithGlobals());
    await client.keys.revoke(id);
    context.stderr.line('The key is revoked. This cannot be undone.');
  });
  addExamples(command, [['baton keys revoke KEY', 'requests with this key fail within seconds']]);
}
