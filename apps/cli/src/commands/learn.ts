import type { Command } from 'commander';

import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exitCodes.ts';
import { findRun, findSession } from '../run/findRun.ts';
import { addExamples } from './examples.ts';

export function define(command: Command, context: Context): void {
  command
    .argument('[run]', 'id of a session at the gateway or another run, its beginning, or `last`')
    .option('--session <name>', 'in place of the run: the name of a session at the gateway')
    .option('-o, --output <file>', 'write the workflow to this file; the default is stdout')
    .option('--name <name>', 'name of the workflow; the default is "learned"')
    .option('--yes', 'take the likeliest answer to every open question')
    .option('--json', 'print the workflow, its inputs, what was left out and the replay as JSON')
    .action(async (written: string | undefined) => {
      const { session } = command.opts<{ readonly session?: string }>();
      if ((written === undefined) === (session === undefined))
        throw new CommandError(exitCodes.usage, 'Name the run to learn from, or a session with --session NAME.');
      const { learnRun } = await import('../learn/learnRun.ts');
      const client = await context.client(command.optsWithGlobals());
      const run = await (session === undefined ? findRun(client, written ?? '') : findSession(client, session));
      await learnRun(context, client, run, command.opts());
    });
  addExamples(command, [
    ['baton runs ls --trigger session', 'find the session to learn from'],
    ['baton learn RUN -o triage.workflow.yaml', 'make a workflow of the session, and replay the session with it'],
    ['baton learn --session triage', 'learn from the newest session of this name: see baton gateway --session'],
    ['baton learn RUN --yes --json', 'print JSON for a program'],
  ]);
}
