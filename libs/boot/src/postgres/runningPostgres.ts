import { recall, urlOf } from './postgresPlace.ts';

/** The address of the Postgres that another process has started for this data folder; undefined where there is none. */
export async function runningPostgres(folder: string): Promise<string | undefined> {
  const memory = await recall(folder);
  return memory?.port === undefined ? undefined : urlOf(memory, memory.port);
}
