import type { QueryOf, RunInList } from '@baton/api/client';

import { actOn } from '../apiCommand.ts';
import { countArgument } from '../arguments.ts';
import { type RunFilterOptions, addFilterOptions } from './filterOptions.ts';

interface Options extends RunFilterOptions {
  readonly limit: number;
}

export const define = actOn<RunInList[], Options>({
  options: (command) =>
    addFilterOptions(command).option('-n, --limit <count>', 'print at most this many runs', countArgument, 30),
  json: 'print the runs as a JSON array',
  act: (client, _, { options: { limit, ...query } }) =>
    Array.fromAsync(client.runs.all(query as QueryOf<'listRuns'>, { limit })),
  print: async (runs, { context }) => {
    const { printRuns } = await import('../../output/printRuns.ts');
    printRuns(context, runs);
  },
  examples: [
    ['baton runs ls --status failed', 'list the latest failed runs'],
    ['baton runs ls -w morning-brief -n 5', 'list the last five runs of a workflow'],
    ["baton runs ls --json | jq -r '.[].id'", 'print JSON for a program'],
  ],
});
