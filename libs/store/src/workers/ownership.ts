/**
 * Lets one process do a task for all: the first process that calls `own` owns the task until it calls `disown` or its
 * connection ends. The locks are session-level advisory locks, which Postgres releases when a process dies.
 *
 * An owner whose connection broke learns it a little after another process may have taken over, so a task must be safe
 * to do twice.
 */
import type { Pool, PoolClient } from 'pg';

import type { Database } from '../database/database.ts';
import { asUnavailable } from '../database/databaseError.ts';

/** Separates these locks from the advisory locks of other programs. */
const namespace = 0x62_61_74;
/** In a schema other than the usual one, a task is another: see `lockNumber`. */
const ownLock = `$1, hashtext(case current_schema() when 'public' then $2 else current_schema() || ' ' || $2 end)`;

export class Ownership {
  readonly #pool: Pool;
  readonly #onLost: () => void;
  #client: PoolClient | undefined;
  readonly #owned = new Set<string>();

  /** `onLost` is called when this process owns no task any more because its connection broke. */
  constructor({ sessions }: Pick<Database, 'sessions'>, onLost: () => void) {
    this.#pool = sessions;
    this.#onLost = onLost;
  }

  /**
   * Whether this process owns the task now. Queries the database each time, and so notices a lost lock. Rejects with
   * `UnavailableError`.
   */
  async own(name: string): Promise<boolean> {
    const isOurs = this.#owned.has(name);
    // A lock that is taken twice must be released twice.
    const text = isOurs ? 'select true as "isOurs"' : `select pg_try_advisory_lock(${ownLock}) as "isOurs"`;
    const [row] = await this.#query<{ isOurs: boolean }>(text, isOurs ? [] : [namespace, name]);
    if (row?.isOurs === true) this.#owned.add(name);
    return row?.isOurs === true;
  }

  /** Rejects with `UnavailableError`. */
  async disown(name: string): Promise<void> {
    if (!this.#owned.delete(name)) return;
    await this.#query(`select pg_advisory_unlock(${ownLock})`, [namespace, name]);
    if (this.#owned.size === 0) this.close();
  }

  /** Releases everything. */
  close(): void {
    this.#owned.clear();
    this.#client?.release(true);
    this.#client = undefined;
  }

  async #query<Row>(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    try {
      const client = await this.#connect();
      return (await client.query(text, [...values])).rows as Row[];
    } catch (error) {
      this.#lose();
      throw asUnavailable(error);
    }
  }

  async #connect(): Promise<PoolClient> {
    if (this.#client !== undefined) return this.#client;
    const client = await this.#pool.connect();
    client.on('error', () => {
      if (this.#client === client) this.#lose();
    });
    this.#client = client;
    return client;
  }

  #lose(): void {
    this.close();
    this.#onLost();
  }
}
