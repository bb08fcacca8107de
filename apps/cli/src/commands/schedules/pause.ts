import type { Command } from 'commander';

import { tellSchedule } from '../../client/schedules.ts';
import type { Context } from '../../context.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, context: Context): void {
  command.argument('<schedule>', 'id of the schedule').action(async (id: string) => {
    await tellSchedule(await context.client(command.optsWithGlobals()), id, 'pause');
    context.stderr.line('It is paused. What it misses is not made up for, but with a backfill.');
  });
  addExamples(command, [['baton schedules pause SCHEDULE', 'until it is resumed']]);
}
