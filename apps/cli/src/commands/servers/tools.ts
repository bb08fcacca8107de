import type { Tool } from '@baton/api/client';
import type { Command } from 'commander';

import { serverAndTool } from '../../call/serverAndTool.ts';
import type { Context } from '../../context.ts';
import type { Column } from '../../output/table.ts';
import { addExamples } from '../examples.ts';

interface Options {
  readonly json?: true;
}

export function define(command: Command, context: Context): void {
  command
    .argument('<server>', 'name of the server, as in mcp.json')
    .argument('[tool]', 'name of one tool, to see its arguments')
    .option('--json', 'print the tools with their schemas as a JSON array; of one tool, the tool')
    .action(async (server: string, tool: string | undefined, options: Options) => {
      const asked = serverAndTool(server, tool);
      await (asked.tool === undefined
        ? list(context, command, asked.server, options)
        : show(context, command, asked.server, asked.tool, options));
    });
  addExamples(command, [
    ['baton servers tools files', 'list its tools, their effects and arguments'],
    ['baton servers tools files write_file', 'show the arguments of a tool'],
    ['baton servers tools files write_file --jq .inputSchema', 'show its input schema'],
  ]);
}

/** `baton servers tools SERVER TOOL` shows all of the description. */
const firstSentence = (text: string): string => /^.*?[.!?](?=\s|$)/s.exec(text.trim())?.[0] ?? text;

const columnsOf = (
  server: string,
  isTerminal: boolean,
  argumentNames: (tool: Tool) => string,
): readonly Column<Tool>[] => [
  // The name as workflows write it.
  { title: 'TOOL', value: ({ name }) => `${server}/${name}` },
  {
    title: 'EFFECT',
    value: ({ effect }) => effect,
    colour: (paint, { effect }) => (effect === 'write' ? paint.yellow : paint.dim),
  },
  // As a program, one does not cut: the description stays the third.
  ...(isTerminal ? [{ title: 'ARGUMENTS', value: argumentNames, most: 28 }] : []),
  {
    title: 'DESCRIPTION',
    value: ({ title, description }) => {
      const text = description ?? title ?? '';
      return isTerminal ? firstSentence(text) : text;
    },
    canShrink: true,
    wraps: true,
  },
];

async function list(context: Context, command: Command, server: string, { json }: Options): Promise<void> {
  const { stdout, stderr } = context;
  const client = await context.client(command.optsWithGlobals());
  const { data: tools } = await client.servers.tools(server);
  const [{ printTable }, { jsonText }, { argumentNames }] = await Promise.all([
    import('../../output/table.ts'),
    import('../../output/json.ts'),
    import('../../call/drawTool.ts'),
  ]);
  if (json === true) return stdout.line(jsonText(tools));
  if (tools.length === 0) return stderr.line(`The server ${server} offers no tools.`);
  printTable(stdout, columnsOf(server, stdout.isTerminal, argumentNames), tools);
}

async function show(
  context: Context,
  command: Command,
  server: string,
  name: string,
  { json }: Options,
): Promise<void> {
  const { stdout } = context;
  const client = await context.client(command.optsWithGlobals());
  const [{ toolNamed }, { drawTool }, { jsonText }] = await Promise.all([
    import('../../call/toolNamed.ts'),
    import('../../call/drawTool.ts'),
    import('../../output/json.ts'),
  ]);
  const tool = await toolNamed(client, server, name);
  if (json === true) return stdout.line(jsonText(tool));
  for (const line of drawTool(server, tool, stdout)) stdout.line(line);
}
