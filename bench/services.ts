/** What the sides stand on: one Postgres with full durability for all, a Redis where the machine has one. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { temporaryPostgres } from '@baton/boot';
import { type QueryResultRow, Client } from 'pg';

import { type ScriptedServer, findRedis, startRedis, toolsServer } from '../libs/testing/src/index.ts';

export { passingServer } from '../libs/testing/src/index.ts';

export interface Services {
  readonly postgres: { readonly url: string; readonly pid: number };
  readonly redis: { readonly url: string; readonly pid: number } | undefined;
  /** Of this measurement, for sides that need files. */
  readonly folder: string;
  /** Answers with as many bytes as it is asked for. */
  readonly tools: ScriptedServer;
  /** A new database's URL. */
  database(name: string): Promise<string>;
  close(): Promise<void>;
}

/** `connections`: to Postgres at most. */
export async function openServices({ connections = 300 } = {}): Promise<Services> {
  const folder = await mkdtemp(join(tmpdir(), 'baton-bench-'));
  const postgres = await temporaryPostgres({ max_connections: connections });
  const redis = (await findRedis()) === undefined ? undefined : await startRedis({ folder });
  const onExit = (): void => void (redis && process.kill(redis.pid));
  process.once('exit', onExit);
  const [row] = await ask<{ all: string }>(
    postgres.url,
    `select current_setting('fsync') || current_setting('synchronous_commit') as all`,
  );
  if (row?.all !== 'onon') throw new Error('this Postgres does not wait for the disk');
  return {
    postgres,
    redis,
    folder,
    tools: toolsServer(join(folder, 'ledger')),
    database: async (name) => {
      await ask(postgres.url, `create database "${name}"`);
      const url = new URL(postgres.url);
      url.pathname = `/${name}`;
      return url.href;
    },
    close: async () => {
      process.off('exit', onExit);
      await redis?.stop();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** On a connection of its own: one that stayed open would count as memory of Postgres. */
async function ask<Row extends QueryResultRow>(url: string, sql: string): Promise<readonly Row[]> {
  const admin = new Client(url);
  await admin.connect();
  try {
    return (await admin.query<Row>(sql)).rows;
  } finally {
    await admin.end();
  }
}
