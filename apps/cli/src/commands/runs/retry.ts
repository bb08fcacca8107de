import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import type { AgainOptions } from '../../run/runAgain.ts';
import { addExamples } from '../examples.ts';
import { type ManyRunsFlags, addManyOptions, didMany } from './manyOptions.ts';
import { addAgainOptions } from './rerunOptions.ts';

export function define(command: Command, context: Context): void {
  addManyOptions(command).argument('[run]', 'id of a run that failed or was cancelled, its beginning, or `last`');
  addAgainOptions(command).action(async (id: string | undefined, options: AgainOptions & ManyRunsFlags) => {
    if (await didMany(context, command, 'retry', { id, options })) return;
    const { runAgain } = await import('../../run/runAgain.ts');
    await runAgain(context, command.optsWithGlobals(), id ?? '', 'retry', options);
  });
  addExamples(command, [
    ['baton runs retry RUN', 'start a new run that keeps finished steps'],
    [
      'baton runs retry --filter status=failed --filter from=2026-11-20T00:00:00Z',
      'retry all runs that failed since then',
    ],
    ['baton runs retry RUN --preview', 'show which calls it would repeat'],
    ['baton runs retry RUN --workflow-version latest', 'continue with the corrected version of the workflow'],
  ]);
}
