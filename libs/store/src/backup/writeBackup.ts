/** Writes all of Baton's tables in Postgres as of one instant, while Baton keeps running. */
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

import { to as copyTo } from 'pg-copy-streams';

import { GuardedClient } from '../database/guardedClient.ts';
import { type BackupHeader, columnList, endOfTable, migrationsOf, tableName, tablesOf } from './backupFormat.ts';

export interface WrittenBackup {
  /** Rows by table. */
  readonly rows: ReadonlyMap<string, number>;
}

/** Ends `out`. Rejects with the errors of `pg` and of the stream. */
export async function writeBackup(url: string, out: Writable, madeAt: Date): Promise<WrittenBackup> {
  const client = new GuardedClient({ connectionString: url });
  await client.connect();
  const rows = new Map<string, number>();
  const written = async function* (): AsyncGenerator<string | Buffer> {
    // One snapshot for all tables, so that they agree although other transactions commit meanwhile.
    await client.query('begin isolation level repeatable read, read only');
    const migrations = await migrationsOf(client);
    const header: BackupHeader = { format: 'baton-backup', version: 1, madeAt: madeAt.toISOString(), migrations };
    yield `${JSON.stringify(header)}\n`;
    for (const table of await tablesOf(client)) {
      yield `${JSON.stringify(table)}\n`;
      const stream = client.query(copyTo(`copy (select ${columnList(table)} from ${tableName(table)}) to stdout`));
      for await (const chunk of stream) yield chunk as Buffer;
      rows.set(table.table, stream.rowCount);
      yield `${endOfTable}\n`;
    }
    await client.query('commit');
  };
  try {
    await pipeline(written, createGzip({ level: 6 }), out);
  } finally {
    await client.end();
  }
  return { rows };
}
