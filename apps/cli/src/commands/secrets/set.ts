import { text as readAll } from 'node:stream/consumers';

import type { Command } from 'commander';
import { Option } from 'commander';

import { CommandError } from '../../commandError.ts';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exitCodes.ts';
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
    .argument('<secret>', 'its name: letters, digits, underscores, dots and hyphens')
    .option(
      '-w, --workflow <workflow>',
      'the only deployed workflow that may use it; more than once for more',
      repeated,
    )
    .option('--server <server>', 'the only server that may be given it; more than once for more', repeated)
    .addOption(new Option('--any-workflow', 'every workflow may use it').conflicts('workflow'))
    .addOption(new Option('--any-server', 'every server may be given it').conflicts('server'))
    .option('--keep-value', 'the value stays what it is, and is not asked for')
    // The value does not stand on the command line, where every process of the machine could read it.
    .action(async (name: string, options: Options) => {
      const client = await context.client(command.optsWithGlobals());
      const value = options.keepValue ? {} : { value: await valueFor(context, name) };
      const body = { ...value, ...boundTo('workflows', options), ...boundTo('servers', options) };
      const { version } = await client.secrets.set(name, body);
      context.stderr.line(`The secret is ${version === 1 ? 'set' : 'set anew'}.`);
    });
  addExamples(command, [
    ['baton secrets set TOKEN', 'asks for the value'],
    ['baton secrets set TOKEN < token.txt', 'from a file; the line end after it is no part of it'],
    [
      'baton secrets set TOKEN --keep-value -w report --server github',
      'for the steps of one workflow that call github',
    ],
  ]);
}

/** Who may use it; nothing where that stays as it is. */
function boundTo(what: 'workflows' | 'servers', { workflow, server, anyWorkflow, anyServer }: Options) {
  const [names, isAny] = what === 'workflows' ? [workflow, anyWorkflow] : [server, anyServer];
  if (isAny) return { [what]: null };
  return names === undefined ? {} : { [what]: [...names] };
}

async function valueFor(context: Context, name: string): Promise<string> {
  const { stdin, stderr } = context;
  if (!context.isInteractive) return (await readAll(stdin)).replace(/\r?\n$/, '');
  const { isCancel, password } = await import('@clack/prompts');
  const value = await password({ message: `Value of ${name}`, input: stdin, output: stderr.stream });
  if (isCancel(value)) throw new CommandError(exitCodes.interrupted, 'Nothing was set.');
  return value;
}
