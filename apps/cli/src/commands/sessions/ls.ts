import type { SessionInList } from '@baton/api/client';
import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import type { Column } from '../../output/table.ts';
import { instantTextFor } from '../../output/time.ts';
import { addExamples } from '../examples.ts';

const columnsFor = (instantText: (instant: string) => string): readonly Column<SessionInList>[] => [
  { title: 'ID', value: ({ id }) => id },
  { title: 'KEY', value: ({ key }) => key.name, canShrink: true },
  { title: 'SINCE', value: ({ createdAt }) => instantText(createdAt) },
  { title: 'UNTIL', value: ({ expiresAt }) => instantText(expiresAt) },
];

export function define(command: Command, context: Context): void {
  command
    .option('--json', 'print them as a JSON array')
    .action(async ({ json = false }: { readonly json?: boolean }) => {
      const client = await context.client(command.optsWithGlobals());
      const sessions = await Array.fromAsync(client.sessions.all());
      const { printList } = await import('../../output/printList.ts');
      printList(context, sessions, {
        columns: columnsFor(instantTextFor(context.stdout)),
        asJson: json,
        none: 'No browser is logged in. Log one in: baton open',
      });
    });
  addExamples(command, [['baton sessions ls', 'list browsers that are logged in, and with which key']]);
}
