/** What a role needs that only runs Baton, and makes no tables. */
import type { ClientBase } from 'pg';

import { GuardedClient } from './guardedClient.ts';

/**
 * Grants the role what Baton does at run time in these schemas. Rejects with the errors of `pg`: the role must exist, and
 * the caller own the tables.
 */
export async function grantRuntime(url: string, role: string, schemas: readonly string[]): Promise<void> {
  const client = new GuardedClient({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; grantee: string }>(
      `select nspname as name, quote_ident($1) as grantee from pg_namespace where nspname = any($2)`,
      [role, schemas],
    );
    for (const { name, grantee } of rows) await client.query(grants(name, grantee));
    await grantRemoval(client, role);
  } finally {
    await client.end();
  }
}

const grants = (schema: string, grantee: string): string => `
  grant usage on schema "${schema}" to ${grantee};
  grant select, insert, update, delete on all tables in schema "${schema}" to ${grantee};
  grant usage, select, update on all sequences in schema "${schema}" to ${grantee}`;

/** Where a role of its own owns the function, it has taken the right from all others. */
const grantRemoval = (client: ClientBase, role: string): Promise<unknown> =>
  client.query(`select set_config('baton.grantee', $1, false)`, [role]).then(() =>
    client.query(`do $$ begin
      if has_function_privilege('remove_journals(uuid[])', 'execute with grant option') then
        execute format('grant execute on function remove_journals(uuid[]) to %I', current_setting('baton.grantee'));
      end if; end $$`),
  );
