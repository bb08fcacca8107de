import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, context: Context): void {
  command
    .argument('<run>', 'id of the run, its beginning, or `last`')
    .option('--reason <text>', 'the reason, kept in the run’s journal')
    .action(async (written: string, { reason }: { readonly reason?: string }) => {
      const client = await context.client(command.optsWithGlobals());
      const { findRun } = await import('../../run/findRun.ts');
      const id = await findRun(client, written);
      await client.runs.cancel(id, { reason });
      context.stderr.line(`The run is being cancelled. Watch it: baton runs watch ${id}`);
    });
  addExamples(command, [
    ['baton runs cancel RUN', 'stop a run'],
    ['baton runs cancel RUN --reason "wrong city"', 'stop a run and record the reason'],
  ]);
}
