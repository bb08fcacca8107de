import type { Queue } from '@baton/api/client';
import type { Command } from 'commander';

import type { Context } from '../context.ts';
import type { Column } from '../output/table.ts';
import { addExamples } from './examples.ts';

const columns: readonly Column<Queue>[] = [
  { title: 'QUEUED', value: ({ queued }) => `${queued}` },
  { title: 'OLDEST', value: ({ oldestAt = 'none' }) => oldestAt },
  { title: 'DELAYED', value: ({ delayed }) => `${delayed}` },
  { title: 'RUNNING', value: ({ running }) => `${running}` },
  { title: 'WAITING', value: ({ waiting }) => `${waiting}` },
];

export function define(command: Command, context: Context): void {
  command
    .option('--json', 'print them as a JSON object')
    .action(async ({ json = false }: { readonly json?: boolean }) => {
      const client = await context.client(command.optsWithGlobals());
      const queue = await client.system.queue();
      const [{ jsonText }, { printTable }] = await Promise.all([
        import('../output/json.ts'),
        import('../output/table.ts'),
      ]);
      if (json) return context.stdout.line(jsonText(queue));
      printTable(context.stdout, columns, [queue]);
    });
  addExamples(command, [
    ['baton queue', 'show how many runs wait for a worker, since when, and how many are in progress'],
    ["baton queue --jq '.queued'", 'print only how many runs wait for a worker'],
  ]);
}
