import { type DescribedSetting, readServersFile, readSettings, SettingsError, strangeNames } from '@baton/boot';

import { dataFolderAbove } from '../client/dataFolder.ts';
import { projectFolder } from '../client/projectFolder.ts';
import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exitCodes.ts';
import { jsonText } from './json.ts';
import { type Column, printTable } from './table.ts';

const columns: readonly Column<DescribedSetting>[] = [
  { title: 'NAME', value: ({ name }) => name },
  { title: 'VALUE', value: ({ value = '' }) => value },
  { title: 'SOURCE', value: ({ source }) => source, colour: (paint) => paint.dim },
  { title: 'WHAT FOR', value: ({ description }) => description, canShrink: true, wraps: true },
];

/** As commands here find them. Rejects with a `CommandError` that has all mistakes. */
export async function printSettings({ env, stdout, stderr }: Context, asJson: boolean): Promise<void> {
  const above = await dataFolderAbove(process.cwd());
  const { described, settings } = read(env, above);
  if (asJson) stdout.line(jsonText(described));
  else printTable(stdout, columns, described);
  const used = await readServersFile(settings.BATON_SERVERS, await projectFolder(env)).then(
    ({ variables }) => variables,
    // `baton doctor` says what is wrong with it.
    () => undefined,
  );
  for (const note of strangeNames(env, used)) stderr.line(`${stderr.paint.yellow('note:')} ${note}`);
}

function read(values: Context['env'], above: string | undefined): ReturnType<typeof readSettings> {
  try {
    return readSettings([
      { name: 'environment', values },
      { name: 'folder above', values: { BATON_DATA: above } },
    ]);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new CommandError(exitCodes.usage, error.message, { cause: error });
  }
}
