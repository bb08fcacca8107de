import type { QueryOf } from '@baton/api/client';
import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { countArgument } from '../arguments.ts';
import { addExamples } from '../examples.ts';
import { type RunFilterOptions, addFilterOptions } from './filterOptions.ts';

interface Options extends RunFilterOptions {
  readonly limit: number;
  readonly json?: true;
}

export function define(command: Command, context: Context): void {
  addFilterOptions(command)
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
