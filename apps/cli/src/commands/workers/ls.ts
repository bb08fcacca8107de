import type { Worker } from '@baton/api/client';
import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import type { Column } from '../../output/table.ts';
import { instantTextFor } from '../../output/time.ts';
import { addExamples } from '../examples.ts';

const columnsFor = (instantText: (instant: string) => string): readonly Column<Worker>[] => [
  { title: 'ID', value: ({ id }) => id },
  {
    title: 'STATE',
    value: ({ status }) => status,
    colour: (paint, { status }) => (status === 'working' ? paint.green : paint.yellow),
  },
  {
    title: 'RUNS',
    value: ({ runs, concurrency }) => (concurrency === undefined ? `${runs}` : `${runs}/${concurrency}`),
  },
  { title: 'VERSION', value: ({ version }) => version },
  { title: 'STARTED', value: ({ startedAt }) => instantText(startedAt) },
  { title: 'HEARD OF', value: ({ heartbeatAt }) => instantText(heartbeatAt) },
];

export function define(command: Command, context: Context): void {
  command
    .option('--json', 'print them as a JSON array')
    .action(async ({ json = false }: { readonly json?: boolean }) => {
      const client = await context.client(command.optsWithGlobals());
      const [{ data: workers }, { queued, oldestAt }] = await Promise.all([
        client.system.workers(),
        client.system.queue(),
      ]);
      const { printList } = await import('../../output/printList.ts');
      const columns = columnsFor(instantTextFor(context.stdout));
      printList(context, workers, { columns, asJson: json, none: 'There are no workers. Start one: baton worker' });
      const oldest = oldestAt === undefined ? '' : `, the oldest since ${oldestAt}`;
      context.stderr.line(`${queued} ${queued === 1 ? 'run waits' : 'runs wait'} for a worker${oldest}.`);
    });
  addExamples(command, [['baton workers ls', 'list workers, how many runs they drive, and how many wait']]);
}
