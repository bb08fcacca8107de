import type { QueryOf } from '@baton/api/client';
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';

import type { Context } from '../../context.ts';
import { countArgument, repeated } from '../arguments.ts';
import { addExamples } from '../examples.ts';

interface Options {
  readonly workflow?: string;
  readonly status?: readonly string[];
  readonly tag?: string;
  readonly trigger?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit: number;
  readonly json?: true;
}

const statuses = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'];

function statusArgument(text: string, before?: readonly string[]): readonly string[] {
  if (!statuses.includes(text)) throw new InvalidArgumentError(`Allowed choices are ${statuses.join(', ')}.`);
  return repeated(text, before);
}

export function define(command: Command, context: Context): void {
  command
    .option('-w, --workflow <name>', 'only runs of this workflow')
    .addOption(
      new Option('-s, --status <status>', 'only runs with this status; can be repeated')
        .choices(statuses)
        .argParser(statusArgument),
    )
    .option('--tag <tag>', 'only runs with this tag')
    .option('--trigger <kind>', 'only runs with this trigger: api, schedule, webhook, …')
    .option('--from <instant>', 'only runs created from this time on (RFC 3339)')
    .option('--to <instant>', 'only runs created before this time')
    .option('-n, --limit <count>', 'print at most this many runs', countArgument, 30)
    .option('--json', 'print the runs as a JSON array')
    .action(async (options: Options) => list(context, command, options));
  addExamples(command, [
    ['baton runs ls --status failed', 'list the latest failed runs'],
    ['baton runs ls -w morning-brief -n 5', 'list the last five runs of a workflow'],
    ["baton runs ls --json | jq -r '.[].id'", 'print JSON for a program'],
  ]);
}

async function list(context: Context, command: Command, { limit, json, ...query }: Options): Promise<void> {
  const client = await context.client(command.optsWithGlobals());
  const runs = await Array.fromAsync(client.runs.all(query as QueryOf<'listRuns'>, { limit }));
  const { printRuns } = await import('../../output/printRuns.ts');
  printRuns(context, runs, json === true);
}
