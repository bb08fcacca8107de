import { inject } from 'vitest';

import { onServer } from './serverDatabases.ts';
import type { Services } from './services.ts';

/**
 * A copy of the database as it is now. `goBack` puts it in the place of the database, as a recovery to a point in time and a
 * standby that lacks the last transactions do: processes go on, and only their connections are cut.
 */
export async function restorePoint(url: string): Promise<{ readonly goBack: () => Promise<void> }> {
  const { postgresUrl }: Services = inject('services');
  const name = new URL(url).pathname.slice(1);
  const copy = `${name}_before`;
  const server = (statement: string): Promise<void> => onServer(postgresUrl, statement);
  await server(`alter database ${name} allow_connections false`);
  await server(`select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${name}'`);
  await server(`create database ${copy} template ${name} strategy file_copy`);
  await server(`alter database ${name} allow_connections true`);
  return {
    goBack: async () => {
      await server(`drop database ${name} with (force)`);
      await server(`alter database ${copy} rename to ${name}`);
    },
  };
}
