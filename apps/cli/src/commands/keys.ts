import { type Key, keyLimitsText } from '@baton/api/client';

import { actOn, listCommand } from './apiCommand.ts';

function stateOf({ revokedAt, expiresAt }: Key): 'revoked' | 'expired' | 'valid' {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'valid';
}

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
    { title: 'LIMITS', value: keyLimitsText },
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
