import type { Histogram, QueryOf } from '@baton/api/client';
import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import type { Column } from '../../output/table.ts';
import { countArgument } from '../arguments.ts';
import { addExamples } from '../examples.ts';
import { type RunFilterOptions, addFilterOptions } from './filterOptions.ts';

interface Options extends RunFilterOptions {
  readonly buckets: number;
  readonly json?: true;
}

type Bucket = Histogram['data'][number];

const dayMs = 86_400_000;

/** Cells of the longest bar. */
const barLength = 24;

export function define(command: Command, context: Context): void {
  addFilterOptions(command)
    .option('--buckets <count>', 'number of buckets, up to 200', countArgument, 24)
    .option('--json', 'print it as JSON')
    .action(async (options: Options) => show(context, command, options));
  addExamples(command, [
    ['baton runs histogram', 'count the runs and failures in each hour of the last day'],
    ['baton runs histogram -w brief --from 2026-11-01T00:00:00Z', 'count those of one workflow since a time'],
  ]);
}

async function show(context: Context, command: Command, { json, buckets, ...filter }: Options): Promise<void> {
  const client = await context.client(command.optsWithGlobals());
  const { to = new Date().toISOString() } = filter;
  const { from = new Date(Date.parse(to) - dayMs || 0).toISOString() } = filter;
  const query = { ...filter, from, to, buckets: `${buckets}` };
  const histogram = await client.runs.histogram(query as QueryOf<'getRunHistogram'>);
  const [{ jsonText }, { printTable }] = await Promise.all([
    import('../../output/json.ts'),
    import('../../output/table.ts'),
  ]);
  if (json === true) return context.stdout.line(jsonText(histogram));
  printTable(context.stdout, columnsFor(Math.max(...histogram.data.map(runsIn))), histogram.data);
}

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
