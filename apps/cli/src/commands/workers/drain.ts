import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, context: Context): void {
  command.argument('<worker>', 'id of the worker').action(async (id: string) => {
    const client = await context.client(command.optsWithGlobals());
    await client.system.drain(id);
    context.stderr.line('The worker takes no more runs, and hands over its runs. After a restart it takes runs again.');
  });
  addExamples(command, [['baton workers drain WORKER', 'stop a worker from taking new runs']]);
}
