/**
 * Gives the function that removes journals to a role of its own: triggers then refuse deletes by other roles. The owner
 * of the database can still bypass this; `audit verify` then finds the missing journals.
 */
import type { Client } from 'pg';

import { takeLock } from '../database/advisoryLocks.ts';
import type { Database } from '../database/database.ts';
import { queryRows } from '../database/queryRows.ts';

/** The roles to try. Where the first belongs to another installation on the server, the database gets its own role. */
const rolesFor = (database: number): readonly string[] => ['baton_retention', `baton_retention_${database}`];

const guarded = `select (select oid::int from pg_database where datname = current_database()) as database,
    remover.proowner <> journal.relowner as "isGuarded", journal.relnamespace::regnamespace::text as schema
  from pg_class journal join pg_proc remover
    on remover.proname = 'remove_journals' and remover.pronamespace = journal.relnamespace
  where journal.oid = 'run_event'::regclass`;

interface RemovalGuard {
  readonly database: number;
  readonly isGuarded: boolean;
  readonly schema: string;
}

/**
 * Guards removal, once for each database, and returns whether it is guarded. Changes nothing where the installation may
 * not create roles.
 */
export async function guardRemoval(client: Client): Promise<boolean> {
  const { rows } = await client.query<RemovalGuard>(guarded);
  const [found] = rows;
  if (found === undefined || found.isGuarded) return true;
  for (const role of rolesFor(found.database)) if (await handOver(client, found.schema, role)) return true;
  return false;
}

async function handOver(client: Client, schema: string, role: string): Promise<boolean> {
  try {
    await client.query(statements(schema, role));
    return true;
  } catch (error) {
    await client.query('rollback');
    if (isNotAllowed(error)) return false;
    throw error;
  }
}

/** Insufficient privilege, or a role that belongs to another installation. */
const isNotAllowed = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['42501', '0LP01', '42704'].includes(String(error.code));

/** A role belongs to the whole server: another database of the server may have made it, or be making it now. */
const statements = (schema: string, role: string): string => `begin;
  do $$ declare is_new boolean := false; begin
    ${takeLock('guarding').replace('select', 'perform')};
    begin
      if not exists (select from pg_roles where rolname = '${role}') then create role ${role} nologin; end if;
    exception when duplicate_object or unique_violation then null;
    end;
    if not (select rolsuper from pg_roles where rolname = current_user) then
      execute format('grant ${role} to %I', current_user);
    end if;
  end $$;
  grant usage, create on schema ${schema} to ${role};
  grant select, delete on run, run_event, sealed_run to ${role};
  alter function remove_journals(uuid[]) owner to ${role};
  revoke create on schema ${schema} from ${role};
  do $$ declare app name := current_user; begin
    set local role ${role};
    revoke all on function remove_journals(uuid[]) from public;
    execute format('grant execute on function remove_journals(uuid[]) to %I with grant option', app);
    reset role;
    if not (select rolsuper from pg_roles where rolname = app) then
      execute format('revoke ${role} from %I', app);
    end if;
  end $$;
  commit`;

/** Whether only the separate role may remove journals. Rejects with `UnavailableError`. */
export async function isRemovalGuarded({ pool }: Database): Promise<boolean> {
  const [found] = await queryRows<RemovalGuard>(pool, guarded);
  return found?.isGuarded === true;
}
