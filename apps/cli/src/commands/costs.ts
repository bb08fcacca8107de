/** `baton costs`: what models cost. */
import type { QueryOf } from '@baton/api/client';

import { CommandError } from '../commandError.ts';
import { exitCodes } from '../exitCodes.ts';
import { durationOption, repeated } from '../inputs/arguments.ts';
import { type CostGroup, costGroups, printCosts } from '../output/printCosts.ts';
import { actOn } from './defineCommand.ts';

const isGroup = (name: string): name is CostGroup => (costGroups as readonly string[]).includes(name);

export const costs = actOn({
  options: (command) =>
    command
      .option('--by <what>', 'what is summed apart: day, workflow, model or key; can be repeated', repeated)
      .option('--since <duration>', 'the days since then: 7d, 24h; the default is 30 days')
      .option('--from <day>', 'the first day, in UTC')
      .option('--to <day>', 'the last day, in UTC')
      .option('-w, --workflow <workflow>', 'only what runs of this workflow, or of a project, cost'),
  json: 'print the sums as JSON',
  act: async (client, _, { options: { by = ['model'], since, ...query } }) => {
    const groups = by.filter(isGroup);
    const wrong = by.find((name) => !isGroup(name));
    if (wrong !== undefined)
      throw new CommandError(exitCodes.usage, `--by cannot be "${wrong.slice(0, 80)}".`, {
        hint: 'it is day, workflow, model or key',
      });
    const sinceMs = await durationOption('--since', since);
    const from = sinceMs === undefined ? query.from : new Date(Date.now() - sinceMs).toISOString();
    const asked: QueryOf<'getCosts'> = { ...query, from, by: groups };
    return { groups, answer: await client.costs(asked) };
  },
  asJson: ({ answer }) => answer,
  print: ({ groups, answer }, { context }) => printCosts(context, answer, groups),
  examples: [
    ['baton costs', 'sum tokens and dollars of the last 30 days by model'],
    ['baton costs --by workflow --since 7d', 'say which workflows cost most this week'],
    ['baton costs --by day --by key -w brief', 'say who spent what on one workflow, day by day'],
    ["baton costs --jq '.total.usd'", 'print only the dollars'],
  ],
});
