import type { Schedule } from '@baton/api/client';
import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import type { Column } from '../../output/table.ts';
import { instantTextFor } from '../../output/time.ts';
import { addExamples } from '../examples.ts';

interface Options {
  readonly workflow?: string;
  readonly json?: boolean;
}

const columnsFor = (instantText: (instant: string) => string): readonly Column<Schedule>[] => [
  { title: 'ID', value: ({ id }) => id },
  { title: 'TIMES', value: ({ times }) => times },
  { title: 'ZONE', value: ({ timezone }) => timezone },
  {
    title: 'NEXT',
    value: ({ paused, next: [next] }) => {
      if (paused) return 'paused';
      return next === undefined ? 'never' : instantText(next);
    },
    colour: (paint, { paused }) => (paused ? paint.yellow : (text) => text),
  },
  {
    title: 'REFUSED',
    value: ({ refused }) => (refused === undefined ? '' : `${instantText(refused.instant)}: ${refused.reason}`),
    colour: (paint) => paint.red,
    canShrink: true,
    wraps: true,
  },
];

export function define(command: Command, context: Context): void {
  command
    .option('-w, --workflow <workflow>', 'only schedules of this workflow')
    .option('--json', 'print them as a JSON array')
    .action(async ({ workflow, json = false }: Options) => {
      const client = await context.client(command.optsWithGlobals());
      const schedules = await Array.fromAsync(client.schedules.all({ workflow }));
      const { printList } = await import('../../output/printList.ts');
      const none =
        'There are no schedules. Add one to a workflow with `schedule: CRON`, `every: 90m` or `at: TIME` under `on`.';
      printList(context, schedules, { columns: columnsFor(instantTextFor(context.stdout)), asJson: json, none });
    });
  addExamples(command, [['baton schedules ls', 'list schedules and their next times']]);
}
