import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { addExamples } from '../examples.ts';

interface Options {
  readonly from: string;
  readonly to: string;
  readonly preview?: boolean;
  readonly json?: boolean;
}

export function define(command: Command, context: Context): void {
  command
    .argument('<schedule>', 'id of the schedule')
    .requiredOption('--from <instant>', 'the first time (RFC 3339)')
    .requiredOption('--to <instant>', 'the last time, in the past')
    .option('--preview', 'only list the times')
    .option('--json', 'print the answer as JSON')
    .action(async (id: string, options: Options) => backfill(context, command, id, options));
  addExamples(command, [
    [
      'baton schedules backfill SCHEDULE --from 2026-11-01T00:00:00Z --to 2026-11-03T00:00:00Z --preview',
      'list missed times',
    ],
  ]);
}

async function backfill(context: Context, command: Command, id: string, options: Options): Promise<void> {
  const { from, to, preview = false, json = false } = options;
  const client = await context.client(command.optsWithGlobals());
  const answer = await client.schedules.backfill(id, { from, to, preview });
  const [{ jsonText }, { oneLine }] = await Promise.all([
    import('../../output/json.ts'),
    import('../../output/text.ts'),
  ]);
  if (json) return context.stdout.line(jsonText({ ...answer }));
  const { instants, queued } = answer;
  for (const instant of preview ? instants : queued) context.stdout.line(oneLine(instant));
  const others = instants.length - queued.length;
  if (!preview && others > 0)
    context.stderr.line(`${others} of ${instants.length} times ran before, and do not run again.`);
}
