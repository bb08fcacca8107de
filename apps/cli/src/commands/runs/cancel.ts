import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, context: Context): void {
  command
    .argument('<run>', 'id of the run')
    .option('--reason <text>', 'why, for the record')
    .action(async (id: string, { reason }: { readonly reason?: string }) => {
      const client = await context.client(command.optsWithGlobals());
      await client.runs.cancel(id, { reason });
      context.stderr.line(`The run is being cancelled. Watch it end: baton runs watch ${id}`);
    });
  addExamples(command, [
    ['baton runs cancel RUN', 'what is under way is stopped'],
    ['baton runs cancel RUN --reason "wrong city"', 'and why stands in its journal'],
  ]);
}
