import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, context: Context): void {
  command
    .argument('<schedule>', 'id of the schedule')
    .option('--json', 'print the started run and the next times as JSON')
    .action(async (id: string, { json = false }: { readonly json?: boolean }) => {
      const client = await context.client(command.optsWithGlobals());
      const started = await client.schedules.trigger(id);
      const [{ jsonText }, { oneLine }] = await Promise.all([
        import('../../output/json.ts'),
        import('../../output/text.ts'),
      ]);
      context.stdout.line(json ? jsonText({ ...started }) : oneLine(started.id));
    });
  addExamples(command, [['baton schedules trigger SCHEDULE', 'start a run now; the schedule stays as it is']]);
}
