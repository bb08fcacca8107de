import type { WorkflowStats } from '@baton/api/client';
import { durationText } from '@baton/primitives';
import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import type { Column } from '../../output/table.ts';
import { addExamples } from '../examples.ts';

const columns: readonly Column<WorkflowStats>[] = [
  { title: 'RUNS', value: ({ runs }) => `${runs.length}` },
  { title: 'OF THEM', value: ({ counts }) => countsText(counts), canShrink: true },
  { title: 'P50', value: ({ p50Ms }) => (p50Ms === undefined ? '' : durationText(p50Ms)) },
  { title: 'P95', value: ({ p95Ms }) => (p95Ms === undefined ? '' : durationText(p95Ms)) },
];

const countsText = (counts: WorkflowStats['counts']): string =>
  Object.entries(counts)
    .map(([status, count]) => `${count} ${status}`)
    .join(', ');

export function define(command: Command, context: Context): void {
  command
    .argument('<workflow>', 'name of the workflow')
    .option('--json', 'print them as JSON, with the runs')
    .action(async (workflow: string, { json = false }: { readonly json?: boolean }) => {
      const client = await context.client(command.optsWithGlobals());
      const stats = await client.workflows.stats(workflow);
      const { printListOf } = await import('../../output/printList.ts');
      const rows = stats.runs.length === 0 ? [] : [stats];
      const none = `The workflow has no runs. Start one: baton run ${stats.id}`;
      printListOf(context, stats, rows, { columns, asJson: json, none });
    });
  addExamples(command, [
    ['baton workflows stats brief', 'show outcomes and durations of its last 50 runs'],
    ["baton workflows stats brief --jq '.p95Ms'", 'print only the 95th percentile of the durations'],
  ]);
}
