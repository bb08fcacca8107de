/**
 * Keeps a process's copy of all secrets of the installation up to date, so that it can redact them from incoming texts.
 */
import { isCredentialName } from '@baton/protocol';
import { type KnownSecrets, type SecretWatch, BackgroundTask, systemClock, UnavailableError } from '@baton/runner';

import type { Database } from '../database/database.ts';
import { rethrowUnavailable } from '../database/databaseError.ts';
import { isReserved } from './reserved.ts';
import { openedRow } from './secretRow.ts';
import type { Vault } from './vault.ts';

/** A secret that another process set may be unknown to this one for this long. */
const freshMs = 1_000;
const everyMs = 5_000;

class StoredSecretWatch implements SecretWatch {
  readonly #database: Database;
  readonly #vault: Vault;
  readonly #known: KnownSecrets;
  readonly #refreshing: BackgroundTask;
  #stamp = '';
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(database: Database, vault: Vault, known: KnownSecrets) {
    this.#database = database;
    this.#vault = vault;
    this.#known = known;
    const run = async (): Promise<number> => {
      await this.fresh();
      return everyMs;
    };
    // Who calls a server waits for what is fresh, and hears what is wrong.
    const onTrouble = (): void => undefined;
    this.#refreshing = new BackgroundTask({ name: 'secrets', clock: systemClock, run, onTrouble });
  }

  start(): void {
    this.#refreshing.start(everyMs);
  }

  async fresh(): Promise<void> {
    if (performance.now() - this.#readAt < freshMs) return;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  async close(): Promise<void> {
    await this.#refreshing.close();
    await this.#reading;
  }

  async #read(): Promise<void> {
    try {
      const begun = performance.now();
      const stamp = await this.#stored();
      if (stamp !== this.#stamp) this.#known.learn('stored secrets', await this.#values());
      this.#stamp = stamp;
      this.#readAt = begun;
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
    }
  }

  /** A text that changes with the secrets. */
  async #stored(): Promise<string> {
    type Row = { count: string; last: string | null };
    const text = 'select count(*), max(created_at)::text as last from secret';
    const { rows } = await this.#database.pool.query<Row>({ name: 'secrets', text }).catch(rethrowUnavailable);
    return `${rows[0]?.count} ${rows[0]?.last}`;
  }

  /** Includes previous values, which may still be in flight. */
  async #values(): Promise<readonly string[]> {
    const rows = await this.#database.prisma.secret.findMany({ orderBy: [{ name: 'asc' }, { version: 'asc' }] });
    return rows.flatMap((row) => {
      const value = openedRow(this.#vault, row);
      if (value === undefined) return [];
      return isReserved(row.name) ? tokensIn(JSON.parse(value)) : [value];
    });
  }
}

/** Resolves when all secrets are known. */
export async function watchSecrets(database: Database, vault: Vault, known: KnownSecrets): Promise<SecretWatch> {
  const watch = new StoredSecretWatch(database, vault, known);
  await watch.fresh();
  watch.start();
  return watch;
}

/** The credentials in a stored authorization. */
function tokensIn(json: unknown): readonly string[] {
  if (typeof json !== 'object' || json === null) return [];
  return Object.entries(json).flatMap(([name, value]) => {
    if (typeof value !== 'string') return tokensIn(value);
    return isCredentialName(name) || name === 'verifier' ? [value] : [];
  });
}
