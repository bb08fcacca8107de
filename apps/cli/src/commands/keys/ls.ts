import type { Key } from '@baton/api/client';
import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import type { Column } from '../../output/table.ts';
import { instantTextFor } from '../../output/time.ts';
import { addExamples } from '../examples.ts';

function stateOf({ revokedAt, expiresAt }: Key): 'revoked' | 'expired' | 'valid' {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'valid';
}

const limitsOf = ({ workflows, effects, approve, limits: { runs, items, checks } = {} }: Key): string =>
  [
    workflows === undefined ? [] : [`only ${workflows.join(' ')}`],
    effects === undefined ? [] : [`effects up to ${effects}`],
    approve === undefined ? [] : ['writes approved'],
    runs === undefined ? [] : [`${runs} runs`],
    items === undefined ? [] : [`${items} items/run`],
    checks === undefined ? [] : [`${checks} checks/min`],
  ]
    .flat()
    .join(', ');

const columnsFor = (instantText: (instant: string) => string): readonly Column<Key>[] => [
  { title: 'ID', value: ({ id }) => id },
  { title: 'NAME', value: ({ name }) => name },
  {
    title: 'STATE',
    value: stateOf,
    colour: (paint, key) => (stateOf(key) === 'valid' ? paint.green : paint.dim),
  },
  { title: 'LIMITS', value: limitsOf },
  { title: 'LAST USED', value: ({ lastUsedAt }) => (lastUsedAt === undefined ? 'never' : instantText(lastUsedAt)) },
  { title: 'SCOPES', value: ({ scopes }) => scopes.join(' '), canShrink: true, wraps: true },
];

export function define(command: Command, context: Context): void {
  command
    .option('--json', 'print them as a JSON array')
    .action(async ({ json = false }: { readonly json?: boolean }) => {
      const client = await context.client(command.optsWithGlobals());
      const keys = await Array.fromAsync(client.keys.all());
      const { printList } = await import('../../output/printList.ts');
      printList(context, keys, {
        columns: columnsFor(instantTextFor(context.stdout)),
        asJson: json,
        none: 'There are no keys.',
      });
    });
  addExamples(command, [['baton keys ls', 'list keys, their scopes and last use']]);
}
