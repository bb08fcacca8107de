import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, context: Context): void {
  command.argument('<login>', 'id of the session, from `baton sessions ls`').action(async (id: string) => {
    const client = await context.client(command.optsWithGlobals());
    await client.sessions.end(id);
    context.stderr.line(
      'The session has ended. So have those that it made. The key that it used is still valid: baton keys revoke',
    );
  });
  addExamples(command, [['baton sessions end SESSION', 'log a browser out, within seconds']]);
}
