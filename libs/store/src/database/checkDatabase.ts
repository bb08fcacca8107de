/** Says why a database cannot be used. */
import type { Client } from 'pg';

/** A SQLSTATE: the role may not do that; it is not the database of Baton; its encoding lacks characters; its pooler. */
type UnusableCode = '42501' | '3D000' | '22021' | '0A000';

/** `code`: by which a process tells its operator what to do. */
export class UnusableDatabaseError extends Error {
  override readonly name = 'UnusableDatabaseError';
  readonly code: UnusableCode;

  constructor(code: UnusableCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Called for each new connection: in another encoding, a result may have characters that cannot be stored. */
export function checkEncoding(database: string, encoding: string | undefined): void {
  if (encoding === 'UTF8') return;
  throw new UnusableDatabaseError(
    '22021',
    `the database "${database}" has the encoding ${encoding ?? 'of another program'}, which cannot hold every text; create it with \`create database … encoding 'UTF8' template template0\``,
  );
}

/** Makes the schema where it is missing. Throws if the role may not. */
export async function makeSchema(client: Client, schema: string): Promise<void> {
  const { rows } = await client.query<{ isThere: boolean; mayMake: boolean; role: string; database: string }>(
    `select to_regnamespace(quote_ident($1)) is not null as "isThere", current_user as role,
       current_database() as database, has_database_privilege(current_database(), 'create') as "mayMake"`,
    [schema],
  );
  const [found] = rows;
  if (found === undefined || found.isThere) return;
  if (!found.mayMake) {
    throw new UnusableDatabaseError(
      '42501',
      `the database "${found.database}" has no schema "${schema}", and the role "${found.role}" may not make it`,
    );
  }
  await client.query(`create schema "${schema}"`);
}

interface Found {
  readonly role: string;
  readonly database: string;
  readonly schema: string;
  readonly mayCreate: boolean | null;
  /** A table of something else. */
  readonly other: string | null;
}

/**
 * Called before the first migration, in a schema that exists. Throws if the role may not make tables, or if there are tables
 * of something else, which are not those of an extension.
 */
export async function checkDatabase(client: Client): Promise<void> {
  const { rows } = await client.query<Found>(
    `select current_user as role, current_database() as database, current_schema() as schema,
       has_schema_privilege(current_schema(), 'create') as "mayCreate",
       (select relname from pg_class
         where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
           and to_regclass('_prisma_migrations') is null
           and not exists (select from pg_depend
             where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
         order by relname limit 1) as other`,
  );
  const [found] = rows;
  if (found === undefined) return;
  const { role, database, schema, mayCreate, other } = found;
  if (mayCreate !== true) {
    throw new UnusableDatabaseError(
      '42501',
      `the role "${role}" may not make tables in the schema "${schema}" of the database "${database}"`,
    );
  }
  if (other !== null) {
    throw new UnusableDatabaseError(
      '3D000',
      `the schema "${schema}" of the database "${database}" has tables of something else, such as "${other}"; give Baton a database of its own, or a schema (BATON_SCHEMA)`,
    );
  }
}
