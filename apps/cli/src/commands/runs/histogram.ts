import type { Histogram, QueryOf } from '@baton/api/client';

import type { Column } from '../../output/table.ts';
import { actOn } from '../apiCommand.ts';
import { countArgument } from '../arguments.ts';
import { type RunFilterOptions, addFilterOptions } from './filterOptions.ts';

interface Options extends RunFilterOptions {
  readonly buckets: number;
}

type Bucket = Histogram['data'][number];

const dayMs = 86_400_000;

/** Cells of the longest bar. */
const barLength = 24;

export const define = actOn<Histogram, Options>({
  options: (command) =>
    addFilterOptions(command).option('--buckets <count>', 'number of buckets, up to 200', countArgument, 24),
  json: 'print it as JSON',
  act: (client, _, { options: { buckets, ...filter } }) => {
    const { to = new Date().toISOString() } = filter;
    const { from = new Date(Date.parse(to) - dayMs || 0).toISOString() } = filter;
    const query = { ...filter, from, to, buckets: `${buckets}` };
    return client.runs.histogram(query as QueryOf<'getRunHistogram'>);
  },
  print: async ({ data: buckets }, { stdout }) => {
    const { printTable } = await import('../../output/table.ts');
    printTable(stdout, columnsFor(Math.max(...buckets.map(runsIn))), buckets);
  },
  examples: [
    ['baton runs histogram', 'count the runs and failures in each hour of the last day'],
    ['baton runs histogram -w brief --from 2026-11-01T00:00:00Z', 'count those of one workflow since a time'],
  ],
});

const runsIn = ({ counts }: Bucket): number => Object.values(counts).reduce((sum, one) => sum + one, 0);

const columnsFor = (most: number): readonly Column<Bucket>[] => [
  { title: 'FROM', value: ({ at }) => at },
  { title: 'RUNS', value: (bucket) => `${runsIn(bucket)}${bucket.cut === true ? '+' : ''}` },
  {
    title: 'FAILED',
    value: ({ counts: { failed = 0 } }) => `${failed}`,
    colour: (paint, { counts: { failed = 0 } }) => (failed > 0 ? paint.red : paint.dim),
  },
  { title: '', value: (bucket) => '█'.repeat(Math.ceil((runsIn(bucket) / Math.max(1, most)) * barLength)) },
];
