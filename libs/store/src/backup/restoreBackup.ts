/** Restores a backup of `writeBackup` into an empty database: everything or nothing. */
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip } from 'node:zlib';

import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

import { GuardedClient } from '../database/guardedClient.ts';
import { type RaisedFence, raiseFence, untilLifted } from '../fence/fence.ts';
import { migrate } from '../migrate.ts';
import {
  type BackedUpTable,
  type BackupHeader,
  columnList,
  endOfTable,
  migrationsOf,
  tableName,
  tablesOf,
} from './backupFormat.ts';

/** The backup cannot be restored into this database; `message` is for operators. */
export class RestoreError extends Error {
  override readonly name = 'RestoreError';
}

export interface RestoredBackup {
  readonly madeAt: string;
  /** Rows by table. */
  readonly rows: ReadonlyMap<string, number>;
}

/** Rejects with `RestoreError` and with the errors of `pg` and of the stream; the database is empty then. */
export async function restoreBackup(url: string, input: Readable, now: Date): Promise<RestoredBackup> {
  await migrate(url);
  const client = new GuardedClient({ connectionString: url });
  await client.connect();
  try {
    await client.query('begin');
    const restored = await pipeline(input, createGunzip(), (source: AsyncIterable<Buffer>) =>
      restore(client, linesIn(source)),
    );
    await raiseFence(
      (text, values) => client.query(text, [...values]),
      restoredFence(Date.parse(restored.madeAt), now.getTime()),
    );
    await client.query('commit');
    return restored;
  } finally {
    await client.end();
  }
}

/** Calls that were made after the backup are not in it. */
const restoredFence = (from: number, to: number): RaisedFence => ({
  cause: 'restored',
  from,
  to,
  message: `A backup of ${new Date(from).toISOString()} was restored. What was recorded after it is lost, although its calls were made. ${untilLifted}`,
});

/** Splits at `\n` alone: a row may contain other characters that `readline` takes for a line end. */
async function* linesIn(source: AsyncIterable<Buffer>): AsyncGenerator<string, undefined> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of source) {
    const parts = (rest + decoder.write(chunk)).split('\n');
    rest = parts.pop() ?? '';
    yield* parts;
  }
  if (rest !== '') yield rest;
  return undefined;
}

type Lines = AsyncGenerator<string, undefined>;

async function restore(client: Client, reader: Lines): Promise<RestoredBackup> {
  const { madeAt, migrations } = headerIn((await reader.next()).value);
  const here = await migrationsOf(client);
  const unknown = migrations.filter((name) => !here.includes(name));
  if (unknown.length > 0) throw new RestoreError('A newer Baton made this backup: restore it with that version.');
  if (migrations.length < here.length)
    throw new RestoreError('An older Baton made this backup: restore it with that version, and upgrade then.');
  const tables = await tablesOf(client);
  for (const table of tables) await mustBeEmpty(client, table);
  const rows = new Map<string, number>();
  await client.query('alter table blob_use drop constraint blob_use_sha256_fkey');
  for (;;) {
    const { value: line } = await reader.next();
    if (line === undefined) break;
    const table = tableIn(line);
    if (!tables.some((one) => one.table === table.table))
      throw new RestoreError(`The backup has a table ${table.table.slice(0, 80)}, which this version does not know.`);
    rows.set(table.table, await fill(client, table, reader));
  }
  // Rows of the backup are not looked at: a value that is missing there must not keep the rest from being restored.
  await client.query(`alter table blob_use add constraint blob_use_sha256_fkey
    foreign key (sha256) references blob (sha256) not valid`);
  await setSequences(client);
  return { madeAt, rows };
}

function headerIn(line: string | undefined): BackupHeader {
  try {
    const header = JSON.parse(line ?? '') as Partial<BackupHeader>;
    if (header.format === 'baton-backup' && header.version === 1 && isWhole(header)) return header;
  } catch {
    // Not JSON.
  }
  throw new RestoreError('This is not a backup of Baton: its first line is not the header of one.');
}

const isWhole = (header: Partial<BackupHeader>): header is BackupHeader =>
  typeof header.madeAt === 'string' && isTexts(header.migrations);

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

function tableIn(line: string): BackedUpTable {
  try {
    const table = JSON.parse(line) as Partial<BackedUpTable>;
    if (typeof table.table === 'string' && isTexts(table.columns)) return table as BackedUpTable;
  } catch {
    // Not JSON.
  }
  throw new RestoreError('The backup is damaged: where a table has to begin, there is something else.');
}

/** Tables in which one start of Baton leaves rows; these are deleted, since nothing refers to them. */
const madeByStart = new Set(['worker', 'turn']);

async function mustBeEmpty(client: Client, table: BackedUpTable): Promise<void> {
  const { rows } = await client.query(`select 1 from ${tableName(table)} limit 1`);
  if (rows.length === 0) return;
  if (madeByStart.has(table.table)) await client.query(`delete from ${tableName(table)}`);
  else throw new RestoreError(`The database is not empty: ${table.table} has rows. Restore into a new one.`);
}

async function fill(client: Client, table: BackedUpTable, reader: Lines): Promise<number> {
  const stream = client.query(copyFrom(`copy ${tableName(table)} (${columnList(table)}) from stdin`));
  const until = async function* (): AsyncGenerator<string> {
    for (;;) {
      const { value: line } = await reader.next();
      if (line === undefined) throw new RestoreError('The backup ends in the middle of a table.');
      if (line === endOfTable) return;
      yield `${line}\n`;
    }
  };
  await pipeline(until, stream);
  return stream.rowCount;
}

/** The restored rows have their numbers; sequences must continue after them. */
async function setSequences(client: Client): Promise<void> {
  const { rows } = await client.query<{ table: string; column: string; sequence: string }>(`
    select c.relname as table, a.attname as column,
      pg_get_serial_sequence(quote_ident(c.relname), a.attname) as sequence
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
      and pg_get_serial_sequence(quote_ident(c.relname), a.attname) is not null`);
  for (const { table, column, sequence } of rows)
    await client.query(`select setval($1, coalesce((select max("${column}") from "${table}"), 0) + 1, false)`, [
      sequence,
    ]);
}
