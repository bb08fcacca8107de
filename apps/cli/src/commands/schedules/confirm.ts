import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, context: Context): void {
  command.action(async () => {
    const client = await context.client(command.optsWithGlobals());
    const { resumed } = await client.schedules.confirmHistory();
    for (const id of resumed) context.stdout.line(id);
    context.stderr.line(
      resumed.length === 0
        ? 'No schedule was paused for this.'
        : 'Resumed. Each runs at its next time; `baton schedules backfill` runs missed times.',
    );
  });
  addExamples(command, [['baton schedules confirm', 'resume all schedules after Postgres went back in time']]);
}
