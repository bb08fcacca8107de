/** Options of `cancel` and `retry` that select many runs. */
import type { Command } from 'commander';

import { CommandError } from '../../commandError.ts';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exitCodes.ts';
import type { ManyRunsOptions } from '../../run/manyRuns.ts';
import { countArgument, repeated } from '../arguments.ts';

export type ManyRunsFlags = Omit<ManyRunsOptions, 'filter'> & { readonly filter?: readonly string[] };

export const addManyOptions = (command: Command): Command =>
  command
    .option('--filter <name=value>', 'all matching runs, instead of one: workflow, status, tag, text, …', repeated)
    .option('--expect <count>', 'with --filter: do not ask, and act only if this many runs match', countArgument)
    .option('-y, --yes', 'do not ask');

/**
 * True if the options selected many runs and the action is done. Rejects with `CommandError` if the selection is
 * ambiguous.
 */
export async function didMany(
  context: Context,
  command: Command,
  kind: 'cancel' | 'retry',
  { id, options }: { readonly id: string | undefined; readonly options: ManyRunsFlags },
): Promise<boolean> {
  const { filter } = options;
  if ((id === undefined) === (filter === undefined))
    throw new CommandError(exitCodes.usage, 'Give the id of a run, or --filter.', {
      hint: `baton runs ${kind} RUN, or baton runs ${kind} --filter workflow=NAME`,
    });
  if (filter === undefined) return false;
  const { actOnMany } = await import('../../run/manyRuns.ts');
  await actOnMany(context, command.optsWithGlobals(), kind, { ...options, filter });
  return true;
}
