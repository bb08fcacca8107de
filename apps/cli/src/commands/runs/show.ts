import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { sayThatItAsks } from '../../output/printWaitingHint.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, context: Context): void {
  command
    .argument('<run>', 'id of the run, its beginning, or `last`')
    .option('--json', 'print the run as JSON')
    .action(async (id: string, { json }: { readonly json?: true }) => show(context, command, id, json === true));
  addExamples(command, [
    ['baton runs show RUN', 'show its steps, failures and outputs'],
    ["baton runs show RUN --json | jq '.outputs'", 'print JSON for a program'],
  ]);
}

async function show(context: Context, command: Command, written: string, asJson: boolean): Promise<void> {
  const client = await context.client(command.optsWithGlobals());
  const { findRun } = await import('../../run/findRun.ts');
  const run = await client.runs.get(await findRun(client, written));
  const { stdout } = context;
  if (asJson) {
    const { jsonText } = await import('../../output/json.ts');
    return stdout.line(jsonText(run));
  }
  const [{ drawShown }, { outlineOfVersion }] = await Promise.all([
    import('../../output/drawShown.ts'),
    import('../../watch/outlineOfVersion.ts'),
  ]);
  const outline = run.version == null ? undefined : await outlineOfVersion(client, run.workflow, run.version);
  for (const line of drawShown(stdout, run, { nowMs: Date.now(), outline })) stdout.line(line);
  const { questions = 0 } = run;
  if (questions > 0) sayThatItAsks(context);
}
