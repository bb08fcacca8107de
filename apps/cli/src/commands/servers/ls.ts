import type { Server } from '@baton/api/client';
import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import type { Column } from '../../output/table.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, context: Context): void {
  command.option('--json', 'print the servers as a JSON array').action(async ({ json }: { readonly json?: true }) => {
    const client = await context.client(command.optsWithGlobals());
    const { data: servers } = await client.servers.list();
    await print(context, servers, json === true);
  });
  addExamples(command, [
    ['baton servers ls', 'list servers and their state'],
    ["baton servers ls --json | jq -r '.[].name'", 'print JSON for a program'],
  ]);
}

const columns: readonly Column<Server>[] = [
  { title: 'NAME', value: ({ name }) => name },
  { title: 'TYPE', value: ({ type }) => type },
  {
    title: 'STATE',
    value: ({ state, onDisk }) => (onDisk === undefined ? state : `${state}, ${onDisk} on disk`),
    colour: (paint, { state }) => (state === 'failing' || state === 'resting' ? paint.red : (text) => text),
  },
  { title: 'SERVER', value: ({ server }) => [server?.name, server?.version].filter(Boolean).join(' ') },
  { title: 'LAST ERROR', value: ({ lastError }) => lastError?.message ?? '', canShrink: true },
];

async function print({ stdout, stderr }: Context, servers: readonly Server[], asJson: boolean): Promise<void> {
  const [{ printTable }, { jsonText }] = await Promise.all([
    import('../../output/table.ts'),
    import('../../output/json.ts'),
  ]);
  if (asJson) return stdout.line(jsonText(servers));
  if (servers.length === 0) return stderr.line('No MCP servers are configured. Add servers to mcp.json.');
  printTable(stdout, columns, servers);
  const isStale = servers.some(({ onDisk }) => onDisk !== undefined);
  if (isStale) stderr.line(stderr.paint.yellow('mcp.json has changed since the start: restart Baton to use it.'));
}
