import type { AuditCall } from '@baton/api/client';
import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { countArgument } from '../arguments.ts';
import { addExamples } from '../examples.ts';

interface Options {
  readonly tool?: string;
  readonly server?: string;
  readonly workflow?: string;
  readonly by?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit: number;
  readonly csv?: true;
  readonly json?: true;
}

export function define(command: Command, context: Context): void {
  command
    .option('--tool <name>', 'only calls of this tool, prompt or resource: <server>/<tool>, or just <tool>')
    .option('--server <name>', 'only calls to this server')
    .option('-w, --workflow <name>', 'only calls made by runs of this workflow')
    .option('--by <key>', 'only calls of runs that this key started; its id, or `name (id)`')
    .option('--from <instant>', 'only calls from this time on: 2026-11-17, or RFC 3339')
    .option('--to <instant>', 'only calls before this time; a date includes the whole day, in UTC')
    .option('-n, --limit <count>', 'print at most this many calls', countArgument, 1_000)
    .option('--csv', 'print the calls as CSV, with all columns (RFC 4180)')
    .option('--json', 'print the calls as a JSON array')
    .action(async (options: Options) => list(context, command, options));
  addExamples(command, [
    [
      'baton audit calls --tool tracker/create_ticket --from 2026-11-17 --to 2026-11-17',
      'who created tickets on that day',
    ],
    ['baton audit calls --by night-shift-key --from 2026-11-01 --csv > calls.csv', 'write the calls for a spreadsheet'],
  ]);
}

async function list(context: Context, command: Command, options: Options): Promise<void> {
  const { limit, csv, json, tool: named, ...query } = options;
  const client = await context.client(command.optsWithGlobals());
  const calls = await Array.fromAsync(client.audit.calls({ ...query, ...toolIn(named) }, { limit }));
  const { stdout } = context;
  if (json === true) {
    const { jsonText } = await import('../../output/json.ts');
    return stdout.line(jsonText(calls));
  }
  if (csv === true) {
    stdout.line(columns.map(([title]) => title).join(','));
    for (const call of calls) stdout.line(columns.map(([, value]) => quoted(value(call))).join(','));
    return;
  }
  const { printTable } = await import('../../output/table.ts');
  printTable(
    stdout,
    [
      { title: 'AT', value: ({ at }) => at },
      { title: 'WHO', value: ({ by }) => by, gives: true },
      { title: 'TOOL', value: calledAs },
      { title: 'EFFECT', value: ({ effect = '' }) => effect },
      { title: 'WORKFLOW', value: workflowOf },
      { title: 'RUN', value: ({ run }) => run },
      { title: 'STEP', value: ({ step }) => step },
      { title: 'OUTCOME', value: ({ outcome }) => outcome },
      { title: 'TOOK', value: ({ durationMs }) => (durationMs === undefined ? '' : `${durationMs} ms`) },
    ],
    calls,
  );
}

/** A server's name has no slash; the URI of a resource has, after a scheme. */
function toolIn(named: string | undefined): { readonly server?: string; readonly tool?: string } {
  const [, server, tool] = /^([^/:]+)\/(.+)$/.exec(named ?? '') ?? [];
  if (server !== undefined && tool !== undefined) return { server, tool };
  return named === undefined ? {} : { tool: named };
}

const calledAs = ({ server, tool, verb }: AuditCall): string => [server, tool ?? verb].filter(Boolean).join('/');

const workflowOf = ({ workflow, version }: AuditCall): string =>
  version === undefined ? workflow : `${workflow}@${version}`;

const columns: readonly (readonly [title: string, value: (call: AuditCall) => string | number | undefined])[] = [
  ['at', ({ at }) => at],
  ['by', ({ by }) => by],
  ['workflow', workflowOf],
  ['run', ({ run }) => run],
  ['step', ({ step }) => step],
  ['attempt', ({ attempt }) => attempt],
  ['verb', ({ verb }) => verb],
  ['server', ({ server }) => server],
  ['tool', ({ tool }) => tool],
  ['effect', ({ effect }) => effect],
  ['argumentsSha256', ({ arguments: { sha256 } }) => sha256],
  ['arguments', ({ arguments: { preview } }) => preview],
  ['outcome', ({ outcome }) => outcome],
  ['durationMs', ({ durationMs }) => durationMs],
];

/** A CSV field (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe in front. */
function quoted(value: string | number | undefined): string {
  if (typeof value !== 'string') return String(value ?? '');
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
