import type { Secret } from '@baton/api/client';

import { actOn, listCommand } from './apiCommand.ts';

const namesIn = (names: readonly string[] = ['all']): string => (names.length === 0 ? 'none' : names.join(', '));

export const ls = listCommand<Secret>({
  json: 'print them as a JSON array',
  list: (client) => client.secrets.all(),
  columns: [
    { title: 'NAME', value: ({ name }) => name },
    { title: 'VERSION', value: ({ version }) => String(version) },
    { title: 'WORKFLOWS', value: ({ workflows }) => namesIn(workflows) },
    { title: 'SERVERS', value: ({ servers }) => namesIn(servers) },
    { title: 'SET AT', value: ({ setAt }, { instantText }) => instantText(setAt) },
    { title: 'SET BY', value: ({ setBy }) => setBy, dispensable: true },
  ],
  none: 'There are no secrets. `baton secrets set NAME` sets one.',
  examples: [['baton secrets ls', 'list names; values are never shown']],
});

export const rm = actOn({
  of: ['<secret>', 'name of the secret'],
  act: (client, name) => client.secrets.delete(name),
  done: 'The secret is removed.',
  examples: [['baton secrets rm TOKEN', 'steps that need the secret fail from now on']],
});
