/**
 * The format of a backup: lines of text, compressed with gzip. The first line is a header as JSON. For each table follow a
 * line of JSON with its name and columns, its rows as `COPY … TO STDOUT` writes them, and a line `\.`, which is no row.
 */
import type { Client } from 'pg';

import { Prisma } from '../generated/client.ts';

export interface BackupHeader {
  readonly format: 'baton-backup';
  readonly version: 1;
  /** RFC 3339. */
  readonly madeAt: string;
  /** Names of the migrations that were applied to the database. */
  readonly migrations: readonly string[];
}

export interface BackedUpTable {
  readonly table: string;
  readonly columns: readonly string[];
}

export const endOfTable = '\\.';

/** As `prisma/schema.prisma` names them. */
const tableNames = Object.values(Prisma.ModelName).map((model) =>
  model.replaceAll(/(?<=[a-z])[A-Z]/g, (capital) => `_${capital}`).toLowerCase(),
);

const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const columnList = ({ columns }: BackedUpTable): string => columns.map(identifier).join(', ');
export const tableName = ({ table }: BackedUpTable): string => identifier(table);

export async function migrationsOf(client: Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select migration_name as name from _prisma_migrations where finished_at is not null order by migration_name',
  );
  return rows.map(({ name }) => name);
}

/**
 * Every table of Baton; a table comes after those that it refers to. The queue may be beside them, and can be rebuilt
 * (I1). The transaction of an event is left out, since its number means nothing in another server: restored events have
 * that of their restoration, so that the feed has all of them, and none as news.
 */
export async function tablesOf(client: Client): Promise<readonly BackedUpTable[]> {
  const { rows } = await client.query<{ table: string; columns: string[] }>(
    `select c.relname as table, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname = any($1)
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      and not (c.relname = 'run_event' and a.attname = 'xact')
    group by c.relname order by c.relname`,
    [tableNames],
  );
  const { rows: references } = await client.query<{ from: string; to: string }>(`
    select conrelid::regclass::text as from, confrelid::regclass::text as to
    from pg_constraint where contype = 'f' and conrelid <> confrelid`);
  const ordered: BackedUpTable[] = [];
  const place = (table: string): void => {
    if (ordered.some((one) => one.table === table)) return;
    for (const { from, to } of references) if (from.replaceAll('"', '') === table) place(to.replaceAll('"', ''));
    const found = rows.find((one) => one.table === table);
    if (found !== undefined) ordered.push(found);
  };
  for (const { table } of rows) place(table);
  return ordered;
}
