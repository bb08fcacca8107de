import type { Key } from '@baton/api/client';

import { actOn, listCommand } from './apiCommand.ts';

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

export const ls = listCommand<Key>({
  json: 'print them as a JSON array',
  list: (client) => client.keys.all(),
  columns: [
    { title: 'ID', value: ({ id }) => id },
    { title: 'NAME', value: ({ name }) => name },
    {
      title: 'STATE',
      value: stateOf,
      colour: (paint, key) => (stateOf(key) === 'valid' ? paint.green : paint.dim),
    },
    { title: 'LIMITS', value: limitsOf },
    {
      title: 'LAST USED',
      value: ({ lastUsedAt }, { instantText }) => (lastUsedAt === undefined ? 'never' : instantText(lastUsedAt)),
    },
    { title: 'SCOPES', value: ({ scopes }) => scopes.join(' '), canShrink: true, wraps: true },
  ],
  none: 'There are no keys.',
  examples: [['baton keys ls', 'list keys, their scopes and last use']],
});

export const revoke = actOn({
  of: ['<key>', 'id of the key'],
  act: (client, id) => client.keys.revoke(id),
  done: 'The key is revoked. This cannot be undone.',
  examples: [['baton keys revoke KEY', 'requests with this key fail within seconds']],
});
