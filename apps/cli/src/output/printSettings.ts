import type { DescribedSetting } from '@baton/boot';
import { readSettings, SettingsError } from '@baton/boot';

import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exitCodes.ts';
import { jsonText } from './json.ts';
import type { Column } from './table.ts';
import { printTable } from './table.ts';

const columns: readonly Column<DescribedSetting>[] = [
  { title: 'NAME', value: ({ name }) => name },
  { title: 'VALUE', value: ({ value = '' }) => value },
  { title: 'SOURCE', value: ({ source }) => source, colour: (paint) => paint.dim },
  { title: 'WHAT FOR', value: ({ description }) => description, canShrink: true },
];

/** Throws a `CommandError` with all mistakes. */
export function printSettings({ env, stdout, stderr }: Context, asJson: boolean): void {
  const { described, notes } = read(env);
  if (asJson) stdout.line(jsonText(described));
  else printTable(stdout, columns, described);
  for (const note of notes) stderr.line(`${stderr.paint.yellow('note:')} ${note}`);
}

function read(values: Context['env']): ReturnType<typeof readSettings> {
  try {
    return readSettings([{ name: 'environment', values }]);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new CommandError(exitCodes.usage, error.message, { cause: error });
  }
}
