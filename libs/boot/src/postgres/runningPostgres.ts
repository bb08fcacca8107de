import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';

import { portOf } from './leftoverPostgres.ts';
import { recall, urlOf } from './postgresPlace.ts';

/**
 * The address of the Postgres that another process has started for this data folder; undefined where there is none yet. A
 * copied folder remembers the port of the original, so the database itself is asked.
 */
export async function runningPostgres(folder: string): Promise<string | undefined> {
  const memory = await recall(folder);
  if (memory === undefined) return undefined;
  const port = await portOf(resolve(await realpath(folder), memory.database));
  return port === undefined ? undefined : urlOf(memory, port);
}
