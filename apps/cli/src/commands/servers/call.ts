import type { Command } from 'commander';

import type { CallOptions } from '../../call/callTool.ts';
import { serverAndTool } from '../../call/serverAndTool.ts';
import { CommandError } from '../../commandError.ts';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exitCodes.ts';
import { shellWord } from '../../output/shellWord.ts';
import { repeated } from '../arguments.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, context: Context): void {
  command
    .argument('<server>', 'name of the server, as in mcp.json')
    .argument('[tool]', 'name of the tool; server/tool in one word is understood too')
    .option('-i, --input <name=value>', 'one argument of the tool; can be repeated', repeated)
    .option('--inputs <file>', 'the arguments as a JSON object in a file, or - for stdin')
    .option('-y, --yes', 'call the tool even if it writes')
    .option('--timeout <duration>', 'stop waiting after this time; the call continues')
    .option('--json', 'print the run, its status and the answer as JSON')
    .action(async (written: string, name: string | undefined, options: CallOptions) => {
      const { server, tool } = serverAndTool(written, name);
      if (tool === undefined)
        throw new CommandError(exitCodes.usage, 'The name of the tool is missing.', {
          hint: `list what the server offers with \`baton servers tools ${shellWord(server)}\``,
        });
      const { callTool } = await import('../../call/callTool.ts');
      context.exitCode = await callTool(context, command.optsWithGlobals(), { server, tool, ...options });
    });
  addExamples(command, [
    ['baton servers call files read_text_file -i path=notes.md', 'call a tool; the call is recorded as a run'],
    ['baton servers call github create_issue --inputs issue.json --yes', 'call a tool that writes'],
  ]);
}
