/**
 * One connection of the pool, reserved for one purpose. It answers concurrent queries one after the other.
 *
 * Its query plans are pinned: Postgres would cache the plan of a prepared statement while the tables are small, and keep
 * a join over a scan after they have grown. On this connection the planner can only choose look-ups by key.
 */
import { setImmediate as turn } from 'node:timers/promises';

import { UnavailableError } from '@baton/runner';
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
  /** Shared by concurrent queries: the pool may have no second connection. */
  #connecting: Promise<PoolClient> | undefined;
  #isClosed = false;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /**
   * Rejects with the errors of `pg`, and with `UnavailableError` once it is closed. Repeats a statement that lost to
   * another transaction; replaces a broken connection at the next call.
   */
  async query(statement: Omit<QueryArrayConfig, 'rowMode'>): Promise<QueryArrayResult<(string | null)[]>> {
    for (let attempt = 1; ; attempt += 1) {
      const client = await this.#connect();
      try {
        return await client.query({ ...statement, ...textRows });
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

  /** For good: what is asked and not answered yet rejects. */
  close(): void {
    this.#isClosed = true;
    this.#release();
  }

  #release(): void {
    this.#client?.release(true);
    this.#client = undefined;
  }

  async #connect(): Promise<PoolClient> {
    this.#checkOpen();
    return this.#client ?? (this.#connecting ??= this.#open().finally(() => (this.#connecting = undefined)));
  }

  async #open(): Promise<PoolClient> {
    const client = await this.#pool.connect();
    // Emitted for a connection that breaks while it is idle.
    client.on('error', () => this.#drop(client));
    try {
      await client.query(settings);
      this.#checkOpen();
    } catch (error) {
      // A client that stayed out would keep its pool from ending.
      client.release(true);
      throw error;
    }
    this.#client = client;
    return client;
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new UnavailableError('the connection was closed');
  }

  /** Closes the connection unless another one has replaced it. */
  #drop(client: PoolClient): void {
    if (this.#client === client) this.#release();
  }
}

/** Rows as arrays of the server's own text: callers parse the columns themselves. */
const textRows = {
  rowMode: 'array',
  types: { getTypeParser: () => (text: string) => text },
} as const;
