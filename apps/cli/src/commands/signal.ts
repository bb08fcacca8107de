import type { Command } from 'commander';

import type { Context } from '../context.ts';
import { repeated } from './arguments.ts';
import { addExamples } from './examples.ts';

interface Options {
  readonly input?: readonly string[];
  readonly inputs?: string;
}

export function define(command: Command, context: Context): void {
  command
    .argument('<run>', 'id of the run')
    .argument('<name>', 'name of the signal')
    .option('-i, --input <name=value>', 'a part of what it carries; more than once for more of them', repeated)
    .option('--inputs <file>', 'what it carries, as a JSON object in a file, or - for stdin')
    .action(async (id: string, name: string, options: Options) => signal(context, command, { id, name, ...options }));
  addExamples(command, [
    ['baton signal RUN paid', 'kept until a step of the run waits for it'],
    ['baton signal RUN paid -i amount=12', 'with what the step then has as its output'],
  ]);
}

async function signal(
  context: Context,
  command: Command,
  { id, name, input, inputs }: Options & { readonly id: string; readonly name: string },
): Promise<void> {
  const client = await context.client(command.optsWithGlobals());
  const { readInputs } = await import('../inputs/readInputs.ts');
  const isEmpty = input === undefined && inputs === undefined;
  const payload = isEmpty ? null : await readInputs(context, { file: inputs, pairs: input ?? [] }, undefined);
  const path = `/v1/runs/${encodeURIComponent(id)}/signals/${encodeURIComponent(name)}`;
  await client.call('POST', path, { body: { payload } });
  context.stderr.line(`The run has the signal. Watch it go on: baton runs watch ${id}`);
}
