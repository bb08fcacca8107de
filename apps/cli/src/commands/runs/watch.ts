import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { durationOption } from '../arguments.ts';
import { addExamples } from '../examples.ts';

interface Options {
  readonly timeout?: string;
  readonly json?: true;
}

export function define(command: Command, context: Context): void {
  command
    .argument('<run>', 'id of the run, its beginning, or `last`')
    .option('--timeout <duration>', 'stop watching after this time')
    .option('--json', 'print one JSON object per event')
    .action(async (id: string, options: Options) => watch(context, command, id, options));
  addExamples(command, [
    ['baton runs watch RUN', 'show its steps live until it ends'],
    ['baton runs watch RUN && echo done', 'exits with 0 only if the run succeeds'],
  ]);
}

async function watch(context: Context, command: Command, written: string, { timeout, json }: Options): Promise<void> {
  const timeoutMs = await durationOption('--timeout', timeout);
  const client = await context.client(command.optsWithGlobals());
  const [{ watchFromTerminal }, { outlineOfVersion }, { findRun }] = await Promise.all([
    import('../../watch/watchFromTerminal.ts'),
    import('../../watch/outlineOfVersion.ts'),
    import('../../run/findRun.ts'),
  ]);
  const id = await findRun(client, written);
  const { workflow, version } = await client.runs.get(id);
  const outline = version == null ? undefined : await outlineOfVersion(client, workflow, version);
  context.exitCode = await watchFromTerminal(context, client, id, { outline, mode: 'live', json, timeoutMs });
}
