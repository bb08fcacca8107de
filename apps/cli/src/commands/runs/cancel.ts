import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { addExamples } from '../examples.ts';
import { type ManyRunsFlags, addManyOptions, didMany } from './manyOptions.ts';

export function define(command: Command, context: Context): void {
  addManyOptions(command)
    .argument('[run]', 'id of the run, its beginning, or `last`')
    .option('--preview', 'with --filter: only count the runs')
    .option('--json', 'with --filter: print the numbers as JSON')
    .option('--reason <text>', 'the reason, kept in the run’s journal')
    .action(async (given: string | undefined, options: ManyRunsFlags) => {
      if (await didMany(context, command, 'cancel', { id: given, options })) return;
      const { reason } = options;
      const client = await context.client(command.optsWithGlobals());
      const { findRun } = await import('../../run/findRun.ts');
      const id = await findRun(client, given ?? '');
      await client.runs.cancel(id, { reason });
      context.stderr.line(`The run is being cancelled. Watch it: baton runs watch ${id}`);
    });
  addExamples(command, [
    ['baton runs cancel RUN', 'stop a run'],
    ['baton runs cancel --filter workflow=morning-brief', 'stop all runs of a workflow'],
    ['baton runs cancel RUN --reason "wrong city"', 'stop a run and record the reason'],
  ]);
}
