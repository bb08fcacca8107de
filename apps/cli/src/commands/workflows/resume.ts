import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, context: Context): void {
  command.argument('<workflow>', 'name of the workflow').action(async (workflow: string) => {
    const client = await context.client(command.optsWithGlobals());
    await client.workflows.resume(workflow);
    context.stderr.line(`Triggers start ${workflow} again.`);
  });
  addExamples(command, [['baton workflows resume morning-brief', 'let triggers start it again']]);
}
