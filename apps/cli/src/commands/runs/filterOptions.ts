/** Options that select runs by their properties; the API checks the values. */
import { type Command, InvalidArgumentError, Option } from 'commander';

import { repeated } from '../arguments.ts';

export interface RunFilterOptions {
  readonly workflow?: string;
  readonly status?: readonly string[];
  readonly tag?: string;
  readonly trigger?: string;
  readonly text?: string;
  readonly server?: string;
  readonly tool?: string;
  readonly from?: string;
  readonly to?: string;
}

const statuses = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'];

function statusArgument(text: string, before?: readonly string[]): readonly string[] {
  if (!statuses.includes(text)) throw new InvalidArgumentError(`Allowed choices are ${statuses.join(', ')}.`);
  return repeated(text, before);
}

export const addFilterOptions = (command: Command): Command =>
  command
    .option('-w, --workflow <name>', 'only runs of this workflow')
    .addOption(
      new Option('-s, --status <status>', 'only runs with this status; can be repeated')
        .choices(statuses)
        .argParser(statusArgument),
    )
    .option('--tag <tag>', 'only runs with this tag')
    .option('--trigger <kind>', 'only runs with this trigger: api, schedule, webhook, …')
    .option('--text <text>', 'only runs that failed with this text in the failure')
    .option('--server <server>', 'only runs of workflows that use this server')
    .option('--tool <tool>', 'only runs of workflows that use a tool of this name')
    .option('--from <instant>', 'only runs created from this time on (RFC 3339)')
    .option('--to <instant>', 'only runs created before this time');
