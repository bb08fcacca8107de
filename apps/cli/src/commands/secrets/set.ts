import { type Command, Option } from 'commander';

import type { Context } from '../../context.ts';
import { repeated } from '../arguments.ts';
import { addExamples } from '../examples.ts';

interface Options {
  readonly workflow?: readonly string[];
  readonly server?: readonly string[];
  readonly anyWorkflow?: true;
  readonly anyServer?: true;
  readonly keepValue?: true;
}

export function define(command: Command, context: Context): void {
  command
    .argument('<secret>', 'name: letters, digits, underscores, dots and hyphens')
    .option('-w, --workflow <workflow>', 'only this workflow may use the secret; can be repeated', repeated)
    .option(
      '--server <server>',
      'only this server, models/PROVIDER or callbacks/HOST may use the secret; can be repeated',
      repeated,
    )
    .addOption(new Option('--any-workflow', 'every workflow may use the secret').conflicts('workflow'))
    .addOption(new Option('--any-server', 'every server may receive the secret').conflicts('server'))
    .option('--keep-value', 'keep the current value; change only who may use it')
    // Not an argument: every process of the machine can read command lines.
    .action(async (name: string, options: Options) => {
      const client = await context.client(command.optsWithGlobals());
      const { readSecret } = await import('../../inputs/readSecret.ts');
      const value = options.keepValue ? {} : { value: await readSecret(context, name, 'Nothing was set.') };
      const body = { ...value, ...boundTo('workflows', options), ...boundTo('servers', options) };
      const { version } = await client.secrets.set(name, body);
      context.stderr.line(`The secret is ${version === 1 ? 'set' : 'replaced'}.`);
    });
  addExamples(command, [
    ['baton secrets set TOKEN', 'prompt for the value'],
    ['baton secrets set TOKEN < token.txt', 'read the value from a file, without the last line end'],
    [
      'baton secrets set TOKEN --keep-value -w report --server github',
      'only one workflow may use it, and only for github',
    ],
  ]);
}

/** Says who may use it; empty if that does not change. */
function boundTo(what: 'workflows' | 'servers', { workflow, server, anyWorkflow, anyServer }: Options) {
  const [names, isAny] = what === 'workflows' ? [workflow, anyWorkflow] : [server, anyServer];
  if (isAny) return { [what]: null };
  return names === undefined ? {} : { [what]: [...names] };
}
