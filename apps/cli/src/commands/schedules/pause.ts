import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, context: Context): void {
  command.argument('<schedule>', 'id of the schedule').action(async (id: string) => {
    const client = await context.client(command.optsWithGlobals());
    await client.schedules.pause(id);
    context.stderr.line('Paused. Missed runs are not started later; use `baton schedules backfill`.');
  });
  addExamples(command, [['baton schedules pause SCHEDULE', 'pause until `baton schedules resume`']]);
}
