import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, context: Context): void {
  command.argument('<schedule>', 'id of the schedule').action(async (id: string) => {
    const client = await context.client(command.optsWithGlobals());
    const { next } = await client.schedules.resume(id);
    const { oneLine } = await import('../../output/text.ts');
    context.stderr.line(next[0] === undefined ? 'Resumed.' : `Resumed. The next run is at ${oneLine(next[0])}.`);
  });
  addExamples(command, [['baton schedules resume SCHEDULE', 'run at its next time again']]);
}
