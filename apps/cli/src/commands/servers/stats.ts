import type { ServerStats } from '@baton/api/client';
import { durationText } from '@baton/primitives';
import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import type { Column } from '../../output/table.ts';
import { addExamples } from '../examples.ts';

type ToolStats = ServerStats['tools'][number];

const columns: readonly Column<ToolStats>[] = [
  { title: 'TOOL', value: ({ tool }) => tool, canShrink: true },
  { title: 'CALLS', value: ({ calls }) => `${calls}` },
  { title: 'P50', value: ({ p50Ms }) => (p50Ms === undefined ? '' : durationText(p50Ms)) },
  { title: 'P95', value: ({ p95Ms }) => (p95Ms === undefined ? '' : durationText(p95Ms)) },
  { title: 'FAILURES', value: ({ errors }) => failuresText(errors) },
];

const failuresText = (errors: ToolStats['errors']): string =>
  Object.entries(errors)
    .map(([code, count]) => `${count} ${code}`)
    .join(', ');

export function define(command: Command, context: Context): void {
  command
    .argument('<server>', 'name of the server')
    .option('--json', 'print them as JSON, with sessions and the breaker')
    .action(async (server: string, { json = false }: { readonly json?: boolean }) => {
      const client = await context.client(command.optsWithGlobals());
      const stats = await client.servers.stats(server);
      const { printListOf } = await import('../../output/printList.ts');
      const none = 'None of the last 200 runs that use this server has called it.';
      printListOf(context, stats, stats.tools, { columns, asJson: json, none });
    });
  addExamples(command, [['baton servers stats github', 'show recent calls, durations and failures of its tools']]);
}
