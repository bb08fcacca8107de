import type { Command } from 'commander';

import type { Context } from '../context.ts';
import { findRun } from '../run/findRun.ts';
import { addExamples } from './examples.ts';

export function define(command: Command, context: Context): void {
  command
    .argument('<run>', 'id of a session at the gateway or another run, its beginning, or `last`')
    .option('-o, --output <file>', 'write the workflow to this file; the default is stdout')
    .option('--name <name>', 'name of the workflow; the default is "learned"')
    .option('--yes', 'take the likeliest answer to every open question')
    .option('--json', 'print the workflow, its inputs, what was left out and the replay as JSON')
    .action(async (written: string) => {
      const { learnRun } = await import('../learn/learnRun.ts');
      const client = await context.client(command.optsWithGlobals());
      await learnRun(context, client, await findRun(client, written), command.opts());
    });
  addExamples(command, [
    ['baton runs ls --trigger session', 'find the session to learn from'],
    ['baton learn RUN -o triage.workflow.yaml', 'make a workflow of the session, and replay the session with it'],
    ['baton learn RUN --yes --json', 'print JSON for a program'],
  ]);
}
