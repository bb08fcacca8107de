import type { Hook } from '@baton/api/client';
import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import type { Column } from '../../output/table.ts';
import { addExamples } from '../examples.ts';

const lastOf = ({ deliveries: [last] }: Hook): string =>
  last === undefined ? 'none' : `${last.outcome} ${last.at}${last.reason === undefined ? '' : `: ${last.reason}`}`;

const columns: readonly Column<Hook>[] = [
  { title: 'PATH', value: ({ path }) => path },
  { title: 'SIGNED', value: ({ scheme }) => scheme },
  { title: 'SECRET', value: ({ secret }) => secret },
  { title: 'LAST DELIVERY', value: lastOf, gives: true },
];

export function define(command: Command, context: Context): void {
  command
    .option('-w, --workflow <workflow>', 'only hooks of this workflow')
    .option('--json', 'print them as a JSON array')
    .action(async ({ workflow, json = false }: { readonly workflow?: string; readonly json?: boolean }) => {
      const client = await context.client(command.optsWithGlobals());
      const { data: hooks } = await client.hooks({ workflow });
      const { printList } = await import('../../output/printList.ts');
      const none = 'There are no webhooks. Add one to a workflow with `webhook:` under `on`.';
      printList(context, hooks, { columns, asJson: json, none });
    });
  addExamples(command, [
    ['baton hooks ls', 'list webhooks, how they are signed, and their last delivery'],
    ['baton hooks ls --json', 'with the last 50 deliveries of each'],
  ]);
}
