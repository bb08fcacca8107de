import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, context: Context): void {
  command.argument('<worker>', 'id of the worker').action(async (id: string) => {
    const client = await context.client(command.optsWithGlobals());
    await client.system.drain(id);
    context.stderr.line('It takes no more runs, and hands over those that it drives. Started again, it takes runs.');
  });
  addExamples(command, [['baton workers drain WORKER', 'let a worker take no more runs']]);
}
