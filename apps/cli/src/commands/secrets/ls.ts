import type { Command } from 'commander';

import { collect } from '../../client/pages.ts';
import type { Context } from '../../context.ts';
import type { Column } from '../../output/table.ts';
import { addExamples } from '../examples.ts';

interface ShownSecret {
  readonly name: string;
  readonly version: number;
  readonly setBy: string;
  readonly setAt: string;
}

const columns: readonly Column<ShownSecret>[] = [
  { title: 'NAME', value: ({ name }) => name },
  { title: 'VERSION', value: ({ version }) => String(version) },
  { title: 'SET AT', value: ({ setAt }) => setAt },
  { title: 'SET BY', value: ({ setBy }) => setBy },
];

export function define(command: Command, context: Context): void {
  command
    .option('--json', 'print them as a JSON array')
    .action(async ({ json = false }: { readonly json?: boolean }) => {
      const client = await context.client(command.optsWithGlobals());
      const secrets = await collect<ShownSecret>(client, '/v1/secrets');
      const { printList } = await import('../../output/printList.ts');
      printList(context, secrets, {
        columns,
        asJson: json,
        none: 'There are no secrets. `baton secrets set NAME` sets one.',
      });
    });
  addExamples(command, [['baton secrets ls', 'which there are; their values are never shown']]);
}
