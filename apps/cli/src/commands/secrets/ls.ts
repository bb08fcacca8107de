import type { Secret } from '@baton/api/client';
import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import type { Column } from '../../output/table.ts';
import { instantTextFor } from '../../output/time.ts';
import { addExamples } from '../examples.ts';

const namesIn = (names: readonly string[] = ['all']): string => (names.length === 0 ? 'none' : names.join(', '));

const columnsFor = (instantText: (instant: string) => string): readonly Column<Secret>[] => [
  { title: 'NAME', value: ({ name }) => name },
  { title: 'VERSION', value: ({ version }) => String(version) },
  { title: 'WORKFLOWS', value: ({ workflows }) => namesIn(workflows) },
  { title: 'SERVERS', value: ({ servers }) => namesIn(servers) },
  { title: 'SET AT', value: ({ setAt }) => instantText(setAt) },
  { title: 'SET BY', value: ({ setBy }) => setBy, dispensable: true },
];

export function define(command: Command, context: Context): void {
  command
    .option('--json', 'print them as a JSON array')
    .action(async ({ json = false }: { readonly json?: boolean }) => {
      const client = await context.client(command.optsWithGlobals());
      const secrets = await Array.fromAsync(client.secrets.all());
      const { printList } = await import('../../output/printList.ts');
      printList(context, secrets, {
        columns: columnsFor(instantTextFor(context.stdout)),
        asJson: json,
        none: 'There are no secrets. `baton secrets set NAME` sets one.',
      });
    });
  addExamples(command, [['baton secrets ls', 'list names; values are never shown']]);
}
