import type { Worker } from '@baton/api/client';

import type { Column } from '../output/table.ts';
import { actOn, printRows } from './defineCommand.ts';

const columns: readonly Column<Worker>[] = [
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
  { title: 'STARTED', value: ({ startedAt }, { instantText }) => instantText(startedAt) },
  { title: 'HEARD OF', value: ({ heartbeatAt }, { instantText }) => instantText(heartbeatAt) },
];

export const ls = actOn({
  json: 'print them as a JSON array',
  act: async (client) => {
    const [{ data: workers }, queue] = await Promise.all([client.system.workers(), client.system.queue()]);
    return { workers, queue };
  },
  asJson: ({ workers }) => workers,
  print: ({ workers }, { context }) =>
    printRows(context, workers, { columns, none: 'There are no workers. Start one: baton worker' }),
  after: ({ queue: { queued, oldestAt } }, { stderr }) => {
    const oldest = oldestAt === undefined ? '' : `, the oldest since ${oldestAt}`;
    stderr.line(`${queued} ${queued === 1 ? 'run waits' : 'runs wait'} for a worker${oldest}.`);
  },
  examples: [['baton workers ls', 'list workers, how many runs they drive, and how many wait']],
});

export const drain = actOn({
  of: ['<worker>', 'id of the worker'],
  act: (client, id) => client.system.drain(id),
  done: 'The worker takes no more runs, and hands over its runs. After a restart it takes runs again.',
  examples: [['baton workers drain WORKER', 'stop a worker from taking new runs']],
});
