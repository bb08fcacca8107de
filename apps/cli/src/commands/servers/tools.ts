import type { Tool } from '@baton/api/client';
import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import type { Column } from '../../output/table.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, context: Context): void {
  command
    .argument('<server>', 'name of the server, as in mcp.json')
    .option('--json', 'print the tools with their schemas as a JSON array')
    .action(async (server: string, { json }: { readonly json?: true }) => {
      const client = await context.client(command.optsWithGlobals());
      const { data: tools } = await client.servers.tools(server);
      await print(context, server, tools, json === true);
    });
  addExamples(command, [
    ['baton servers tools files', 'list its tools and their effects'],
    ["baton servers tools files --json | jq '.[0].inputSchema'", 'show the input schema of a tool'],
  ]);
}

const columnsOf = (server: string, isTerminal: boolean): readonly Column<Tool>[] => [
  // The name as workflows write it.
  { title: 'TOOL', value: ({ name }) => (isTerminal ? `${server}/${name}` : name) },
  {
    title: 'EFFECT',
    value: ({ effect }) => effect,
    colour: (paint, { effect }) => (effect === 'write' ? paint.yellow : paint.dim),
  },
  { title: 'DESCRIPTION', value: ({ title, description }) => description ?? title ?? '', gives: true },
];

async function print(
  { stdout, stderr }: Context,
  server: string,
  tools: readonly Tool[],
  asJson: boolean,
): Promise<void> {
  const [{ printTable }, { jsonText }] = await Promise.all([
    import('../../output/table.ts'),
    import('../../output/json.ts'),
  ]);
  if (asJson) return stdout.line(jsonText(tools));
  if (tools.length === 0) return stderr.line(`The server ${server} offers no tools.`);
  printTable(stdout, columnsOf(server, stdout.isTerminal), tools);
}
