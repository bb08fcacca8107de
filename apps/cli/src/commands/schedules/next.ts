import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, context: Context): void {
  command
    .argument('<schedule>', 'id of the schedule')
    .option('--json', 'print the times as a JSON array')
    .action(async (id: string, { json = false }: { readonly json?: boolean }) => {
      const client = await context.client(command.optsWithGlobals());
      const { next, paused } = await client.schedules.get(id);
      const [{ jsonText }, { oneLine }] = await Promise.all([
        import('../../output/json.ts'),
        import('../../output/text.ts'),
      ]);
      if (json) return context.stdout.line(jsonText(next));
      for (const instant of next) context.stdout.line(oneLine(instant));
      if (paused) context.stderr.line(`The schedule is paused. Resume it: baton schedules resume ${id}`);
    });
  addExamples(command, [['baton schedules next SCHEDULE', 'show its next five times']]);
}
