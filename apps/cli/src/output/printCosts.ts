/** Prints what models cost: a table, and what the sums lack. */
import type { Cost, Costs } from '@baton/api/client';

import type { Output } from './output.ts';
import { type Column, printTable } from './table.ts';
import { plural } from './text.ts';

export const costGroups = ['day', 'workflow', 'model', 'key'] as const;

export type CostGroup = (typeof costGroups)[number];

/** What was not counted is not 0. */
const tokensText = (row: Cost, tokens: number, isPerson: boolean): string => {
  if (row.unknown === row.answers) return 'unknown';
  return isPerson ? tokens.toLocaleString('en') : `${tokens}`;
};

/** Dollars: four digits, or as many as show that it is not nothing. */
const usdText = ({ usd, answers, unknown = 0, unpriced = 0 }: Cost): string => {
  if (usd === 0 && unknown === answers) return 'unknown';
  if (usd === 0 && unknown + unpriced === answers) return 'no price';
  return usd > 0 && usd < 0.0001 ? usd.toPrecision(2) : usd.toFixed(4);
};

const columnsOf = (groups: readonly CostGroup[]): readonly Column<Cost>[] => [
  ...groups.map((group): Column<Cost> => ({
    title: group.toUpperCase(),
    value: (row) => row[group] ?? '',
    canShrink: true,
  })),
  { title: 'ANSWERS', value: ({ answers }) => `${answers}` },
  { title: 'INPUT TOKENS', value: (row, { isPerson }) => tokensText(row, row.inputTokens, isPerson) },
  { title: 'OUTPUT TOKENS', value: (row, { isPerson }) => tokensText(row, row.outputTokens, isPerson) },
  { title: 'USD', value: usdText },
];

/** Says what the sums lack. */
function notesOf({ unknown = 0, unpriced = 0, estimated = 0 }: Costs['total']): string[] {
  const lines = [
    [unpriced, 'without a price in mcp.json: the dollars are missing'],
    [estimated, 'with tokens that Baton estimated, because the provider did not count them'],
    [unknown, 'with unknown tokens: the MCP client whose model answered did not say them'],
  ] as const;
  return lines.flatMap(([count, what]) => (count > 0 ? [`${plural(count, 'answer')} ${what}.`] : []));
}

export function printCosts(
  { stdout, stderr }: { readonly stdout: Output; readonly stderr: Pick<Output, 'line'> },
  { data, total, from, to, cut }: Costs,
  groups: readonly CostGroup[],
): void {
  if (data.length === 0) return stderr.line(`No model answered from ${from} to ${to}.`);
  printTable(stdout, columnsOf(groups), data);
  if (cut === true) stderr.line('There are more. Give fewer days, or a workflow.');
  if (stdout.isTerminal && data.length > 1) stderr.line(`${usdText(total)} USD in all, from ${from} to ${to}, in UTC.`);
  for (const line of notesOf(total)) stderr.line(line);
}
