import type { Queue } from '@baton/api/client';

import { actOn, printRows } from './apiCommand.ts';

export const define = actOn<Queue>({
  json: 'print them as a JSON object',
  act: (client) => client.system.queue(),
  print: (queue, { context }) =>
    printRows(context, [queue], {
      columns: [
        { title: 'QUEUED', value: ({ queued }) => `${queued}` },
        { title: 'OLDEST', value: ({ oldestAt = 'none' }) => oldestAt },
        { title: 'DELAYED', value: ({ delayed }) => `${delayed}` },
        { title: 'RUNNING', value: ({ running }) => `${running}` },
        { title: 'WAITING', value: ({ waiting }) => `${waiting}` },
      ],
    }),
  examples: [
    ['baton queue', 'show how many runs wait for a worker, since when, and how many are in progress'],
    ["baton queue --jq '.queued'", 'print only how many runs wait for a worker'],
  ],
});
