import type { Hook } from '@baton/api/client';
import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import type { Column } from '../../output/table.ts';
import { instantTextFor } from '../../output/time.ts';
import { addExamples } from '../examples.ts';

const columnsFor = (instantText: (instant: string) => string): readonly Column<Hook>[] => [
  { title: 'HOOK', value: ({ workflow, hook }) => `${workflow}/${hook}`, canShrink: true },
  { title: 'SIGNED', value: ({ scheme }) => scheme },
  { title: 'SECRET', value: ({ secret }) => secret },
  {
    title: 'LAST DELIVERY',
    value: ({ deliveries: [last] }) => (last === undefined ? 'none' : `${last.outcome} ${instantText(last.at)}`),
  },
];

/** Only for programs: a reason is a sentence, too long for a table on a terminal. */
const reason: Column<Hook> = { title: 'REASON', value: ({ deliveries: [last] }) => last?.reason ?? '' };

export function define(command: Command, context: Context): void {
  command
    .option('-w, --workflow <workflow>', 'only hooks of this workflow')
    .option('--json', 'print them as a JSON array')
    .action(async ({ workflow, json = false }: { readonly workflow?: string; readonly json?: boolean }) => {
      const { stdout, stderr } = context;
      const client = await context.client(command.optsWithGlobals());
      const { data: hooks } = await client.hooks({ workflow });
      const { printList } = await import('../../output/printList.ts');
      const none = 'There are no webhooks. Add one to a workflow with `webhook:` under `on`.';
      const columns = columnsFor(instantTextFor(stdout));
      printList(context, hooks, { columns: stdout.isTerminal ? columns : [...columns, reason], asJson: json, none });
      const refused = hooks.find(({ deliveries: [last] }) => last?.outcome === 'refused');
      if (refused !== undefined && !json)
        stderr.line(`Why it was refused: baton hooks show ${refused.workflow}/${refused.hook}`);
    });
  addExamples(command, [
    ['baton hooks ls', 'list webhooks, how they are signed, and their last delivery'],
    ['baton hooks ls --json', 'list them with the last 50 deliveries of each'],
  ]);
}
