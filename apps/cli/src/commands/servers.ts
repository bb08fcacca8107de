import type { Server, ServerStats } from '@baton/api/client';
import { durationText } from '@baton/primitives';

import type { Column } from '../output/table.ts';
import { oneLine } from '../output/text.ts';
import { actOn, listCommand, printRows } from './apiCommand.ts';

const versionOf = (server: Server['server']): string => [server?.name, server?.version].filter(Boolean).join(' ');

export const ls = listCommand<Server>({
  json: 'print the servers as a JSON array',
  list: (client) => client.servers.list(),
  columns: [
    { title: 'NAME', value: ({ name }) => name },
    { title: 'TYPE', value: ({ type }) => type },
    {
      title: 'STATE',
      value: ({ state, onDisk }) => (onDisk === undefined ? state : `${state}, ${onDisk} on disk`),
      colour: (paint, { state }) => (state === 'failing' || state === 'resting' ? paint.red : (text) => text),
    },
    { title: 'SERVER', value: ({ server }) => versionOf(server) },
    { title: 'LAST ERROR', value: ({ lastError }) => lastError?.message ?? '', canShrink: true },
  ],
  none: 'No MCP servers are configured. Add servers to mcp.json.',
  note: (servers, { stderr }) =>
    servers.some(({ onDisk }) => onDisk !== undefined)
      ? stderr.paint.yellow('mcp.json has changed since the start: restart Baton to use it.')
      : undefined,
  examples: [
    ['baton servers ls', 'list servers and their state'],
    ["baton servers ls --json | jq -r '.[].name'", 'print JSON for a program'],
  ],
});

const statsColumns: readonly Column<ServerStats['tools'][number]>[] = [
  { title: 'TOOL', value: ({ tool }) => tool, canShrink: true },
  { title: 'CALLS', value: ({ calls }) => `${calls}` },
  { title: 'P50', value: ({ p50Ms }) => (p50Ms === undefined ? '' : durationText(p50Ms)) },
  { title: 'P95', value: ({ p95Ms }) => (p95Ms === undefined ? '' : durationText(p95Ms)) },
  {
    title: 'FAILURES',
    value: ({ errors }) =>
      Object.entries(errors)
        .map(([code, count]) => `${count} ${code}`)
        .join(', '),
  },
];

export const stats = actOn({
  of: ['<server>', 'name of the server'],
  json: 'print them as JSON, with sessions and the breaker',
  act: (client, server) => client.servers.stats(server),
  print: ({ tools }, { context }) =>
    printRows(context, tools, {
      columns: statsColumns,
      none: 'None of the last 200 runs that use this server has called it.',
    }),
  examples: [['baton servers stats github', 'show recent calls, durations and failures of its tools']],
});

const of = ['<server>', 'name of the server, as in mcp.json'] as const;

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

export const test = actOn({
  of,
  json: 'print the result as JSON',
  act: (client, server, { stderr }) => {
    if (stderr.isTerminal) stderr.line(stderr.paint.dim(`Waiting for ${oneLine(server)} to start and answer …`));
    return client.servers.test(server);
  },
  print: ({ name, protocolVersion, server, tools, prompts, resources, problems }, { stdout, stderr }) => {
    const version = versionOf(server);
    const offers = `${counted(tools, 'tool')}, ${counted(prompts, 'prompt')}, ${counted(resources, 'resource')}`;
    stdout.line(oneLine(`${name} answers: ${version === '' ? '' : `${version}, `}MCP ${protocolVersion}, ${offers}`));
    for (const problem of problems) stderr.line(`${stderr.paint.yellow('note:')} ${oneLine(problem)}`);
  },
  examples: [
    ['baton servers test files', 'connect and list what it offers; calls no tool'],
    ['baton servers test files && echo fine', 'exits with 0 only if the server answers'],
  ],
});

export const logout = actOn({
  of,
  json: 'print the answer as JSON',
  act: async (client, name) => ({ name, answer: await client.servers.logout(name) }),
  asJson: ({ answer }) => answer,
  print: ({ name, answer: { status, problem } }, { stderr }) => {
    if (status === 'not-logged-in') return stderr.line(oneLine(`There was no login to ${name}.`));
    stderr.line(oneLine(`Logged out of ${name}: its tokens are deleted; workers stop using them within a minute.`));
    if (problem !== undefined) stderr.line(stderr.paint.yellow(oneLine(`The tokens may still be valid: ${problem}`)));
  },
  examples: [['baton servers logout github', 'delete its tokens, and revoke them if possible']],
});
