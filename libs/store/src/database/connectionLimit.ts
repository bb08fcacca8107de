import type { Pool } from 'pg';

import { queryRows } from './queryRows.ts';

interface Limits {
  readonly role: string;
  readonly database: string;
  readonly ofRole: number;
  readonly ofDatabase: number;
  readonly ofServer: number;
}

const limits = `select current_user as role, current_database() as database,
  (select rolconnlimit from pg_roles where rolname = current_user) as "ofRole",
  (select datconnlimit from pg_database where datname = current_database()) as "ofDatabase",
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as "ofServer"`;

/**
 * A sentence if a limit allows fewer connections than one process may open: nothing says so before the load grows. Rejects
 * with `UnavailableError`.
 */
export async function connectionShortage(pool: Pool, wanted: number): Promise<string | undefined> {
  const [found] = await queryRows<Limits>(pool, limits);
  if (found === undefined) return undefined;
  const { role, database, ofRole, ofDatabase, ofServer } = found;
  const told = [
    [ofRole, `the role "${role}" (CONNECTION LIMIT)`],
    [ofDatabase, `the database "${database}" (CONNECTION LIMIT)`],
    [ofServer, 'Postgres (max_connections)'],
  ] as const;
  // -1: no limit.
  const [limit, where] = told.filter(([max]) => max >= 0 && max < wanted).toSorted(([a], [b]) => a - b)[0] ?? [];
  if (limit === undefined) return undefined;
  return `${where} allows ${limit} connections, and this process alone may open ${wanted}: under load requests will be refused`;
}
