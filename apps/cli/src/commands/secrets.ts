import { defined } from '@baton/primitives';
import { Option } from '@commander-js/extra-typings';

import { repeated } from '../inputs/arguments.ts';
import { actOn, listCommand } from './defineCommand.ts';

const namesIn = (names: readonly string[] = ['all']): string => (names.length === 0 ? 'none' : names.join(', '));

export const ls = listCommand({
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

export const set = actOn({
  of: ['<secret>', 'name: letters, digits, underscores, dots and hyphens'],
  options: (command) =>
    command
      .option(
        '-w, --workflow <workflow>',
        'only this workflow, or a project, as payments/*, may use the secret; can be repeated',
        repeated,
      )
      .option(
        '--server <server>',
        'only this server, models/PROVIDER or callbacks/HOST may use the secret; can be repeated',
        repeated,
      )
      .addOption(new Option('--any-workflow', 'every workflow may use the secret').conflicts('workflow'))
      .addOption(new Option('--any-server', 'every server may receive the secret').conflicts('server'))
      .option('--keep-value', 'keep the current value; change only who may use it'),
  // The value is no argument: every process of the machine can read command lines.
  act: async (client, name, { context, options: { workflow, anyWorkflow, server, anyServer, keepValue } }) => {
    const { readSecret } = await import('../inputs/readSecret.ts');
    const value = keepValue ? undefined : await readSecret(context, name, 'Nothing was set.');
    // Undefined if who may use it does not change.
    const workflows = anyWorkflow ? null : workflow;
    const servers = anyServer ? null : server;
    return client.secrets.set(name, defined({ value, workflows, servers }));
  },
  done: ({ version }) => `The secret is ${version === 1 ? 'set' : 'replaced'}.`,
  examples: [
    ['baton secrets set TOKEN', 'prompt for the value'],
    ['baton secrets set TOKEN < token.txt', 'read the value from a file, without the last line end'],
    [
      'baton secrets set TOKEN --keep-value -w report --server github',
      'only one workflow may use it, and only for github',
    ],
  ],
});
