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
    .option(
      '-n, --limit <count>',
      'print at most this many calls, newest first: those of the newest runs',
      countArgument,
      1_000,
    )
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
  // The server lists them run by run, the newest calls of a run first; runs overlap.
  calls.sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
  const { stdout } = context;
  if (json === true) {
    const { jsonText } = await import('../../output/json.ts');
    return stdout.line(jsonText(calls));
  }
  const { printCalls, printCallsAsCsv } = await import('../../output/printCalls.ts');
  (csv === true ? printCallsAsCsv : printCalls)(stdout, calls);
}

/** A server's name has no slash; the URI of a resource has, after a scheme. */
function toolIn(named: string | undefined): { readonly server?: string; readonly tool?: string } {
  const [, server, tool] = /^([^/:]+)\/(.+)$/.exec(named ?? '') ?? [];
  if (server !== undefined && tool !== undefined) return { server, tool };
  return named === undefined ? {} : { tool: named };
}
