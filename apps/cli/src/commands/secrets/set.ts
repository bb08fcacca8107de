import { text as readAll } from 'node:stream/consumers';

import type { Command } from 'commander';

import { CommandError } from '../../commandError.ts';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exitCodes.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, context: Context): void {
  command
    .argument('<secret>', 'its name: letters, digits, underscores, dots and hyphens')
    // Not on the command line, where every process of the machine could read it.
    .action(async (name: string) => {
      const client = await context.client(command.optsWithGlobals());
      const value = await valueFor(context, name);
      const { version } = await client.secrets.set(name, value);
      context.stderr.line(`The secret is ${version === 1 ? 'set' : 'set anew'}.`);
    });
  addExamples(command, [
    ['baton secrets set TOKEN', 'asks for the value'],
    ['baton secrets set TOKEN < token.txt', 'from a file; the line end after it is no part of it'],
  ]);
}

async function valueFor(context: Context, name: string): Promise<string> {
  const { stdin, stderr } = context;
  if (!context.isInteractive) return (await readAll(stdin)).replace(/\r?\n$/, '');
  const { isCancel, password } = await import('@clack/prompts');
  const value = await password({ message: `Value of ${name}`, input: stdin, output: stderr.stream });
  if (isCancel(value)) throw new CommandError(exitCodes.interrupted, 'Nothing was set.');
  return value;
}
