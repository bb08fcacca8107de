import { auditedActions, callOutcomes, effects } from '@baton/api/client';
import { Option } from '@commander-js/extra-typings';

import { countArgument } from '../inputs/arguments.ts';
import { auditDetail } from '../output/auditDetail.ts';
import { keyNameOf } from '../output/text.ts';
import { actOn, commandOf, listCommand } from './defineCommand.ts';

export const ls = listCommand({
  options: (command) =>
    command
      .addOption(new Option('--action <action>', 'only this action').choices(auditedActions))
      .option('--by <key>', 'only changes that this key made; its id, or `name (id)`')
      .option('--target <name>', 'only changes of this workflow, secret, key, schedule, …')
      .option('--from <instant>', 'only changes from this time on: 2026-11-17, or RFC 3339')
      .option('--to <instant>', 'only changes before this time; a date includes the whole day, in UTC')
      .option('-n, --limit <count>', 'print at most this many changes, newest first', countArgument, 50),
  json: 'print the entries as a JSON array',
  list: (client, { limit, ...query }) => client.audit.all(query, { limit }),
  columns: [
    { title: 'AT', value: ({ at }, { instantText }) => instantText(at) },
    // A program gets the name of the key with its id, and the details as JSON.
    { title: 'WHO', value: ({ by }, { isPerson }) => (isPerson ? keyNameOf(by) : by), most: 24 },
    { title: 'ACTION', value: ({ action }) => action },
    { title: 'TARGET', value: ({ target }) => target },
    {
      title: 'DETAILS',
      value: (entry, { isPerson }) => (isPerson ? auditDetail(entry) : JSON.stringify(entry.detail)),
      canShrink: true,
    },
  ],
  none: 'There is no such entry.',
  examples: [
    ['baton audit ls', 'who deployed, set a secret, made a key'],
    ['baton audit ls --action secret.set --from 2026-11-01', 'which secrets were set since then'],
    ["baton audit ls --target report --jq '.[] | [.at, .by, .action]'", 'what was done to one workflow, as JSON'],
  ],
});

export const calls = actOn({
  options: (command) =>
    command
      .option('--tool <name>', 'only calls of this tool, prompt or resource: <server>/<tool>, or just <tool>')
      .option('--server <name>', 'only calls to this server')
      .option('-w, --workflow <name>', 'only calls made by runs of this workflow')
      .addOption(new Option('--effect <effect>', 'only calls with this effect').choices(effects))
      .addOption(new Option('--outcome <outcome>', 'only calls that ended so').choices(callOutcomes))
      .option('--by <key>', 'only calls of runs that this key started; its id, or `name (id)`')
      .option('--from <instant>', 'only calls from this time on: 2026-11-17, or RFC 3339')
      .option('--to <instant>', 'only calls before this time; a date includes the whole day, in UTC')
      .option(
        '-n, --limit <count>',
        'print at most this many calls, newest first: those of the newest runs',
        countArgument,
        1_000,
      )
      .option('--csv', 'print the calls as CSV, with all columns (RFC 4180)'),
  json: 'print the calls as a JSON array',
  act: async (client, _, { options: { limit, tool, csv: _csv, ...query } }) => {
    const listed = await Array.fromAsync(client.audit.calls({ ...query, ...toolIn(tool) }, { limit }));
    // The server lists them run by run, the newest calls of a run first; runs overlap.
    return listed.toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
  },
  print: async (listed, { stdout, options: { csv } }) => {
    const { printCalls, printCallsAsCsv } = await import('../output/printCalls.ts');
    (csv === true ? printCallsAsCsv : printCalls)(stdout, listed);
  },
  examples: [
    [
      'baton audit calls --tool tracker/create_ticket --from 2026-11-17 --to 2026-11-17',
      'who created tickets on that day',
    ],
    ['baton audit calls --outcome unknown --effect write', 'which writes may or may not have happened'],
    ['baton audit calls --by night-shift-key --from 2026-11-01 --csv > calls.csv', 'write the calls for a spreadsheet'],
  ],
});

/** A server's name has no slash; the URI of a resource has, after a scheme. */
function toolIn(written: string | undefined): { readonly server?: string; readonly tool?: string } {
  const [, server, tool] = /^([^/:]+)\/(.+)$/.exec(written ?? '') ?? [];
  if (server !== undefined && tool !== undefined) return { server, tool };
  return written === undefined ? {} : { tool: written };
}

export const key = actOn({
  json: 'print the key and its id as JSON',
  act: (client) => client.audit.key(),
  print: ({ publicKey }, { stdout }) => stdout.line(publicKey.trimEnd()),
  examples: [['baton audit key > baton-audit.pem', 'give this file to people who verify exports']],
});

export const begin = commandOf({
  form: (command) =>
    command
      .option('--data <folder>', 'data folder (default: BATON_DATA, else .baton)')
      .option('-y, --yes', 'do not ask'),
  act: async (context, _, { data, yes = false }) => {
    const { beginAudit } = await import('../audit/beginAudit.ts');
    await beginAudit(context, { data, isAgreed: yes });
  },
  examples: [
    ['baton audit begin', 'answer for a database of an older Baton, or after its secret key was lost'],
    ['DATABASE_URL=… BATON_SECRET_KEY=… baton audit begin', 'the same for a database of your own'],
  ],
});
