/** Says before the first migration why a database cannot be used. */
import type { Client } from 'pg';

/** `code`: the SQLSTATE of such a failure, by which a process tells its operator what to do. */
class UnusableDatabaseError extends Error {
  override readonly name = 'UnusableDatabaseError';
  readonly code: '42501' | '3D000';

  constructor(code: '42501' | '3D000', message: string) {
    super(message);
    this.code = code;
  }
}

interface Found {
  readonly role: string;
  readonly database: string;
  readonly schema: string;
  readonly mayCreate: boolean | null;
  /** A table of something else. */
  readonly other: string | null;
}

/** Throws if the role may not make tables, or if there are tables of something else, which are not those of an extension. */
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
      `the role "${role}" may not make tables in the database "${database}"; let it own the database`,
    );
  }
  if (other !== null) {
    throw new UnusableDatabaseError(
      '3D000',
      `the schema "${schema}" of the database "${database}" has tables of something else, such as "${other}"; give Baton a database of its own`,
    );
  }
}
