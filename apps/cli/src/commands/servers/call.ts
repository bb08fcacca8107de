import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { repeated } from '../arguments.ts';
import { addExamples } from '../examples.ts';

export interface CallOptions {
  readonly input?: readonly string[];
  readonly inputs?: string;
  readonly yes?: true;
  readonly timeout?: string;
  readonly json?: true;
}

export function define(command: Command, context: Context): void {
  command
    .argument('<server>', 'name of the server, as in mcp.json')
    .argument('<tool>', 'name of the tool')
    .option('-i, --input <name=value>', 'an argument of the tool; more than once for more of them', repeated)
    .option('--inputs <file>', 'the arguments as a JSON object in a file, or - for stdin')
    .option('-y, --yes', 'call it although it may change something that cannot be changed back')
    .option('--timeout <duration>', 'stop waiting after so long; the call goes on')
    .option('--json', 'print the run, its status, and what the tool answered, as JSON')
    .action(async (server: string, tool: string, options: CallOptions) => {
      const { callTool } = await import('../../call/callTool.ts');
      context.exitCode = await callTool(context, command.optsWithGlobals(), { server, tool, ...options });
    });
  addExamples(command, [
    ['baton servers call files read_text_file -i path=notes.md', 'a run of one call, on record like any other'],
    [
      'baton servers call github create_issue --inputs issue.json --yes',
      'a tool that writes is only called with --yes',
    ],
  ]);
}
