/**
 * One connection of the pool, reserved for one purpose. What asks it at the same time is answered in turn.
 *
 * Its query plans are pinned. Postgres caches the plan of a prepared statement while the tables are small, and would
 * keep a join over a scan after they have grown. On this connection the planner can only choose look-ups by key.
 */
import { setImmediate as turn } from 'node:timers/promises';

import type { Pool, PoolClient, QueryArrayConfig, QueryArrayResult } from 'pg';

import { leavesConnectionUsable, mayTryAgain } from './databaseError.ts';

const settings = `
  set enable_seqscan = off; set enable_bitmapscan = off; set enable_material = off;
  set enable_hashjoin = off; set enable_mergejoin = off;
  set plan_cache_mode = force_generic_plan; set jit = off; set lock_timeout = '5s'`;

const tries = 5;

export class PinnedConnection {
  readonly #pool: Pool;
  #client: PoolClient | undefined;
  /** Under way: the pool may have no second connection to give. */
  #connecting: Promise<PoolClient> | undefined;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /**
   * Rejects as `pg` does. A statement that lost to another transaction is tried again; a connection that broke is
   * replaced at the next call.
   */
  async query(statement: Omit<QueryArrayConfig, 'rowMode'>): Promise<QueryArrayResult<(string | null)[]>> {
    for (let attempt = 1; ; attempt += 1) {
      const client = await this.#connect();
      try {
        return await client.query({ ...statement, ...rawRows });
      } catch (error) {
        if (!mayTryAgain(error)) {
          if (!leavesConnectionUsable(error)) this.#drop(client);
          throw error;
        }
        if (attempt === tries) throw error;
        await turn();
      }
    }
  }

  close(): void {
    this.#client?.release(true);
    this.#client = undefined;
  }

  async #connect(): Promise<PoolClient> {
    return this.#client ?? (this.#connecting ??= this.#open().finally(() => (this.#connecting = undefined)));
  }

  async #open(): Promise<PoolClient> {
    const client = await this.#pool.connect();
    // A connection that dies while nothing is asked of it.
    client.on('error', () => this.#drop(client));
    await client.query(settings).catch((error: unknown) => {
      client.release(true);
      throw error;
    });
    this.#client = client;
    return client;
  }

  /** Not a connection that has replaced it meanwhile. */
  #drop(client: PoolClient): void {
    if (this.#client === client) this.close();
  }
}

/** Rows as arrays of the server's own text: who asks knows what each column is. */
const rawRows = {
  rowMode: 'array',
  types: { getTypeParser: () => (text: string) => text },
} as const;
