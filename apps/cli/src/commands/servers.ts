import type { Server, ServerStats, Tool } from '@baton/api/client';
import { durationText } from '@baton/primitives';

import { CommandError } from '../commandError.ts';
import { exitCodes } from '../exitCodes.ts';
import { repeated } from '../inputs/arguments.ts';
import { jsonText } from '../output/json.ts';
import type { Column } from '../output/table.ts';
import { oneLine, plural } from '../output/text.ts';
import { shellWord } from '../shellWord.ts';
import { actOn, commandOf, listCommand, printRows } from './defineCommand.ts';

const versionOf = (server: Server['server']): string => [server?.name, server?.version].filter(Boolean).join(' ');

export const ls = listCommand({
  json: 'print the servers as a JSON array',
  list: (client) => client.servers.list(),
  columns: [
    { title: 'NAME', value: ({ name }) => name },
    { title: 'TYPE', value: ({ type }) => type },
    {
      title: 'STATE',
      value: ({ state, onDisk, drift }) =>
        [
          state,
          ...(onDisk === undefined ? [] : [`${onDisk} on disk`]),
          ...(drift === undefined ? [] : ['tools changed']),
        ].join(', '),
      colour: (paint, { state, drift }) => {
        if (state === 'failing' || state === 'resting') return paint.red;
        return drift === undefined ? (text) => text : paint.yellow;
      },
    },
    { title: 'SERVER', value: ({ server }) => versionOf(server) },
    { title: 'LAST ERROR', value: ({ lastError }) => lastError?.message ?? '', canShrink: true },
  ],
  none: 'No MCP servers are configured. Add servers to mcp.json.',
  note: (servers, { stderr: { paint } }) => {
    const isStale = servers.some(({ onDisk }) => onDisk !== undefined);
    const notes = [
      ...(isStale ? ['mcp.json has changed since the start: restart Baton to use it.'] : []),
      ...servers.flatMap(({ name, drift }) => (drift === undefined ? [] : [driftNote(name, drift)])),
    ];
    return notes.length === 0 ? undefined : notes.map((note) => paint.yellow(note)).join('\n');
  },
  examples: [
    ['baton servers ls', 'list servers and their state'],
    ["baton servers ls --json | jq -r '.[].name'", 'print JSON for a program'],
  ],
});

/** What `baton servers approve` would mend. */
function driftNote(server: string, drift: NonNullable<Server['drift']>): string {
  const names = (some: typeof drift): string => some.map(({ workflow }) => workflow).join(', ');
  const blocked = drift.filter((one) => one.blocked === true);
  const refused = blocked.length === 0 ? '' : ` New runs of ${names(blocked)} are refused.`;
  return oneLine(
    `The tools of ${server} have changed since ${names(drift)} ${drift.length === 1 ? 'was' : 'were'} checked.${refused} See: baton servers approve ${server} --preview`,
  );
}

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

export const test = actOn({
  of,
  json: 'print the result as JSON',
  act: (client, server, { stderr }) => {
    if (stderr.isTerminal) stderr.line(stderr.paint.dim(`Waiting for ${oneLine(server)} to start and answer …`));
    return client.servers.test(server);
  },
  print: ({ name, protocolVersion, server, tools, prompts, resources, problems, drift }, { stdout, stderr }) => {
    const version = versionOf(server);
    const offers = `${plural(tools, 'tool')}, ${plural(prompts, 'prompt')}, ${plural(resources, 'resource')}`;
    stdout.line(oneLine(`${name} answers: ${version === '' ? '' : `${version}, `}MCP ${protocolVersion}, ${offers}`));
    const notes = [...problems, ...(drift === undefined ? [] : [driftNote(name, drift)])];
    for (const note of notes) stderr.line(`${stderr.paint.yellow('note:')} ${oneLine(note)}`);
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

/** `baton servers tools SERVER TOOL` shows all of the description. */
const firstSentence = (text: string): string => /^.*?[.!?](?=\s|$)/s.exec(text.trim())?.[0] ?? text;

const toolColumns = (
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

export const tools = commandOf({
  form: (command) =>
    command
      .argument(...of)
      .argument('[tool]', 'name of one tool, to see its arguments')
      .option('--json', 'print the tools with their schemas as a JSON array; of one tool, the tool'),
  act: async (context, [written, name], { json }) => {
    const { server, tool } = serverAndTool(written, name);
    const { stdout, stderr } = context;
    const client = await context.client();
    const { argumentNames, drawTool } = await import('../call/drawTool.ts');
    if (tool !== undefined) {
      const { toolNamed } = await import('../call/toolNamed.ts');
      const found = await toolNamed(client, server, tool);
      if (json === true) return stdout.line(jsonText(found));
      return drawTool(server, found, stdout).forEach((line) => stdout.line(line));
    }
    const { data } = await client.servers.tools(server);
    if (json === true) return stdout.line(jsonText(data));
    if (data.length === 0) return stderr.line(`The server ${server} offers no tools.`);
    await printRows(context, data, { columns: toolColumns(server, stdout.isTerminal, argumentNames) });
  },
  examples: [
    ['baton servers tools files', 'list its tools, their effects and arguments'],
    ['baton servers tools files write_file', 'show the arguments of a tool'],
    ['baton servers tools files write_file --jq .inputSchema', 'show its input schema'],
  ],
});

export const call = commandOf({
  form: (command) =>
    command
      .argument(...of)
      .argument('[tool]', 'name of the tool; server/tool in one word is understood too')
      .option('-i, --input <name=value>', 'one argument of the tool; can be repeated', repeated)
      .option('--inputs <file>', 'the arguments as a JSON object in a file, or - for stdin')
      .option('-y, --yes', 'call the tool even if it writes')
      .option('--timeout <duration>', 'stop waiting after this time; the call continues')
      .option('--json', 'print the run, its status and the answer as JSON'),
  act: async (context, [written, name], options) => {
    const { server, tool } = serverAndTool(written, name);
    if (tool === undefined)
      throw new CommandError(exitCodes.usage, 'The name of the tool is missing.', {
        hint: `list what the server offers with \`baton servers tools ${shellWord(server)}\``,
      });
    const { callTool } = await import('../call/callTool.ts');
    return callTool(context, { server, tool, ...options });
  },
  examples: [
    ['baton servers call files read_text_file -i path=notes.md', 'call a tool; the call is recorded as a run'],
    ['baton servers call github create_issue --inputs issue.json --yes', 'call a tool that writes'],
  ],
});

/** A server and one of its tools, as two words or as `server/tool`, the form of workflows. */
function serverAndTool(server: string, tool: string | undefined): { server: string; tool: string | undefined } {
  const [, owner, name] = /^([^/]+)\/(.+)$/.exec(server) ?? [];
  return tool === undefined && owner !== undefined ? { server: owner, tool: name } : { server, tool };
}
