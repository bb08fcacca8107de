import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, context: Context): void {
  command.argument('<workflow>', 'name of the workflow').action(async (workflow: string) => {
    const client = await context.client(command.optsWithGlobals());
    await client.workflows.pause(workflow);
    context.stderr.line(
      `No trigger starts ${workflow} until \`baton workflows resume ${workflow}\`. Its runs continue.`,
    );
  });
  addExamples(command, [
    ['baton workflows pause morning-brief', 'stop schedules, webhooks and other triggers from starting it'],
  ]);
}
