/** Finds the folder whose `mcp.json` commands read and write. */
import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { usualServersFiles } from '@baton/boot';

import type { Environment } from '../environment.ts';
import { dataFolderAbove } from './dataFolder.ts';

/**
 * `from` if it has an `mcp.json` or a data folder, or `BATON_DATA` or `BATON_SERVERS` names one; else the folder above that has the data
 * folder of commands here, since its Baton reads the `mcp.json` there; else `from`.
 */
export async function projectFolder(env: Environment, from = process.cwd()): Promise<string> {
  if (isSet(env['BATON_DATA']) || isSet(env['BATON_SERVERS']) || (await hasServersFile(from))) return from;
  const above = await dataFolderAbove(from);
  return above === undefined ? from : dirname(above);
}

const isSet = (value: string | undefined): boolean => value !== undefined && value.trim() !== '';

async function hasServersFile(folder: string): Promise<boolean> {
  const found = await Promise.allSettled(usualServersFiles.map((name) => access(join(folder, name))));
  return found.some(({ status }) => status === 'fulfilled');
}
