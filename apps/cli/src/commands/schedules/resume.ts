import type { Command } from 'commander';

import { tellSchedule } from '../../client/schedules.ts';
import type { Context } from '../../context.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, context: Context): void {
  command.argument('<schedule>', 'id of the schedule').action(async (id: string) => {
    await tellSchedule(await context.client(command.optsWithGlobals()), id, 'resume');
    context.stderr.line('It goes on.');
  });
  addExamples(command, [['baton schedules resume SCHEDULE', 'from its next instant on']]);
}
