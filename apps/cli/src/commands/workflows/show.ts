import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { targetOf } from '../arguments.ts';
import { addExamples } from '../examples.ts';

interface Options {
  readonly source?: true;
  readonly json?: true;
}

export function define(command: Command, context: Context): void {
  command
    .argument('<workflow>', 'name of the workflow (name@3 for version 3; else the newest)')
    .option('--source', 'print the text as it was deployed')
    .option('--json', 'print it as JSON')
    .action(async (workflow: string, options: Options) => show(context, command, workflow, options));
  addExamples(command, [
    ['baton workflows show brief', 'show its triggers and inputs'],
    ['baton workflows show brief --source', 'print its text'],
    ['baton workflows show brief@2 --source | baton deploy -', 'roll back'],
  ]);
}

async function show(context: Context, command: Command, target: string, { source, json }: Options): Promise<void> {
  const client = await context.client(command.optsWithGlobals());
  const { workflow, version } = targetOf(target);
  const shown = await client.workflows.version(workflow, version);
  const { stdout } = context;
  if (source === true) {
    const { cleanText } = await import('@baton/primitives');
    // A program gets the text as it is; a terminal gets no control characters.
    const text = stdout.isTerminal ? cleanText(shown.source) : shown.source;
    return stdout.line(text.replace(/\n$/, ''));
  }
  if (json === true) {
    const { jsonText } = await import('../../output/json.ts');
    return stdout.line(jsonText(shown));
  }
  const { drawWorkflow } = await import('../../workflows/drawWorkflow.ts');
  for (const line of drawWorkflow(shown, stdout)) stdout.line(line);
}
