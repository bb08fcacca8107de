import { type AuditEntry, auditedActions } from '@baton/api/client';
import { isObject } from '@baton/primitives';
import { type Command, Option } from 'commander';

import type { Context } from '../../context.ts';
import { keyNameOf } from '../../output/keyName.ts';
import type { Column } from '../../output/table.ts';
import { instantTextFor } from '../../output/time.ts';
import { countArgument } from '../arguments.ts';
import { addExamples } from '../examples.ts';

interface Options {
  readonly action?: (typeof auditedActions)[number];
  readonly by?: string;
  readonly target?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit: number;
  readonly json?: true;
}

export function define(command: Command, context: Context): void {
  command
    .addOption(new Option('--action <action>', 'only this action').choices(auditedActions))
    .option('--by <key>', 'only changes that this key made; its id, or `name (id)`')
    .option('--target <name>', 'only changes of this workflow, secret, key, schedule, …')
    .option('--from <instant>', 'only changes from this time on: 2026-11-17, or RFC 3339')
    .option('--to <instant>', 'only changes before this time; a date includes the whole day, in UTC')
    .option('-n, --limit <count>', 'print at most this many changes, newest first', countArgument, 50)
    .option('--json', 'print the entries as a JSON array')
    .action(async (options: Options) => list(context, command, options));
  addExamples(command, [
    ['baton audit ls', 'who deployed, set a secret, made a key'],
    ['baton audit ls --action secret.set --from 2026-11-01', 'which secrets were set since then'],
    ["baton audit ls --target report --jq '.[] | [.at, .by, .action]'", 'what was done to one workflow, as JSON'],
  ]);
}

async function list(context: Context, command: Command, { limit, json, ...query }: Options): Promise<void> {
  const client = await context.client(command.optsWithGlobals());
  const entries = await Array.fromAsync(client.audit.all(query, { limit }));
  const { printList } = await import('../../output/printList.ts');
  const none = 'There is no such entry.';
  printList(context, entries, { columns: columnsFor(context.stdout), asJson: json === true, none });
}

/** A program gets the name of the key with its id, and the details as JSON. */
function columnsFor(stdout: Context['stdout']): readonly Column<AuditEntry>[] {
  const instantText = instantTextFor(stdout);
  const forPeople = stdout.isTerminal;
  return [
    { title: 'AT', value: ({ at }) => instantText(at) },
    { title: 'WHO', value: ({ by }) => (forPeople ? keyNameOf(by) : by), most: 24 },
    { title: 'ACTION', value: ({ action }) => action },
    { title: 'TARGET', value: ({ target }) => target },
    {
      title: 'DETAILS',
      value: ({ detail }) => (forPeople ? detailText(detail) : JSON.stringify(detail)),
      canShrink: true,
    },
  ];
}

const detailText = (detail: AuditEntry['detail']): string =>
  isObject(detail)
    ? Object.entries(detail)
        .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
        .join(', ')
    : JSON.stringify(detail);
