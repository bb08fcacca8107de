import type { Client } from '@baton/api/client';
import { withHint } from '@baton/primitives';
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
    .argument('<run>', 'id of the run, its beginning, or `last`')
    .argument('<name>', 'name of the signal')
    .option('-i, --input <name=value>', 'one value of the payload; can be repeated', repeated)
    .option('--inputs <file>', 'the payload as a JSON object in a file, or - for stdin')
    .action(async (id: string, name: string, options: Options) => signal(context, command, { id, name, ...options }));
  addExamples(command, [
    ['baton signal RUN paid', 'send a signal; it is kept until a step waits for it'],
    ['baton signal RUN paid -i amount=12', 'send a payload; it becomes the output of the step'],
    [`baton signal RUN built -i 'number="12"'`, 'send a text instead of a number'],
  ]);
}

async function signal(
  context: Context,
  command: Command,
  { id: written, name, input, inputs }: Options & { readonly id: string; readonly name: string },
): Promise<void> {
  const client = await context.client(command.optsWithGlobals());
  const { findRun } = await import('../run/findRun.ts');
  const id = await findRun(client, written);
  const [{ readInputs }, { didYouMean }] = await Promise.all([
    import('../inputs/readInputs.ts'),
    import('@baton/expressions'),
  ]);
  const isEmpty = input === undefined && inputs === undefined;
  const payload = isEmpty ? null : await readInputs(context, { file: inputs, pairs: input ?? [] }, undefined);
  const awaited = await signalsAwaited(client, id);
  await client.runs.signal(id, name, payload);
  const { stderr } = context;
  // Prints the payload as parsed: a `match` tells a number from a text.
  stderr.line(`The signal is sent${payload === null ? '' : `, with ${JSON.stringify(payload)}`}.`);
  if (awaited.includes(name)) return stderr.line(`${stderr.paint.dim('Watch the run:')} baton runs watch ${id}`);
  const hint = didYouMean(name, awaited);
  stderr.line(withHint('No step waits for it yet; it is kept.', hint));
}

async function signalsAwaited(client: Client, id: string): Promise<string[]> {
  const { steps } = await client.runs.get(id);
  return steps.flatMap(({ verb, status, target }) =>
    verb === 'wait' && status === 'waiting' && target !== undefined ? [target] : [],
  );
}
