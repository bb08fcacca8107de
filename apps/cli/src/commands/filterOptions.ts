/** Options that select runs by their properties; the API checks the values. */
import { type RunFilterName, effects, runFilters, runFilterNames, runStatuses } from '@baton/api/client';
import type { Command } from '@commander-js/extra-typings';
import { InvalidArgumentError, Option } from 'commander';

import { repeated } from '../inputs/arguments.ts';

type RunFilterOptions = Readonly<Partial<Record<Exclude<RunFilterName, 'status'>, string>>> & {
  readonly status?: readonly string[];
};

function statusArgument(text: string, before?: readonly string[]): readonly string[] {
  if (!runStatuses.some((status) => status === text))
    throw new InvalidArgumentError(`Allowed choices are ${runStatuses.join(', ')}.`);
  return repeated(text, before);
}

const shortNames: Partial<Record<RunFilterName, string>> = { workflow: '-w, ', status: '-s, ' };

const optionOf = (name: RunFilterName): Option => {
  const { value, about } = runFilters[name];
  const option = new Option(`${shortNames[name] ?? ''}--${name} <${value}>`, about);
  if (name === 'status') return option.choices(runStatuses).argParser(statusArgument);
  const allowed = choices[name];
  return allowed === undefined ? option : option.choices(allowed);
};

const choices: Partial<Record<RunFilterName, readonly string[]>> = {
  retried: ['yes', 'no'],
  effect: effects,
  outcome: ['unknown'],
};

const isTime = (name: RunFilterName): boolean => runFilters[name].value === 'instant';

/** Times come last. */
export function addFilterOptions(
  command: Command,
  { without = [] }: { readonly without?: readonly RunFilterName[] } = {},
): Command<[], RunFilterOptions> {
  const asked = runFilterNames.filter((name) => !without.includes(name));
  const names = asked.toSorted((one, other) => Number(isTime(one)) - Number(isTime(other)));
  for (const name of names) command.addOption(optionOf(name));
  return command;
}
