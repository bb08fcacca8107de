import { unawaited } from '@baton/primitives';
import { type ClientConfig, type QueryResult, Client } from 'pg';

import { checkEncoding } from './checkDatabase.ts';
import { storeSession } from './sessionSettings.ts';

type Connected = (error?: Error) => void;

/** Asks something over a connection that was just opened. */
export type Ask = (text: string, values: readonly unknown[]) => Promise<QueryResult>;
export type OnOpened = (ask: Ask) => Promise<void>;

/**
 * A connection whose loss never ends the process, and whose session has the settings that this code assumes. Postgres may
 * end a connection in the same packet in which it accepts it (57P01, at a restart); `pg` emits the error before the code
 * that waits for the connection can listen for it. The connection is not usable then, and its next query is rejected.
 */
export class GuardedClient extends Client {
  readonly #answerMs: number;
  readonly #idleMs: number;
  readonly #onOpened: OnOpened | undefined;

  /**
   * `idleMs`: Postgres ends a transaction that is idle for longer. `onOpened`: the connection is closed where it rejects.
   */
  constructor(config: ClientConfig = {}, idleMs = 0, onOpened?: OnOpened) {
    super(config);
    this.#answerMs = config.connectionTimeoutMillis ?? 0;
    this.#idleMs = idleMs;
    this.#onOpened = onOpened;
    this.on('error', () => undefined);
  }

  /** Rejects with `UnusableDatabaseError` where the database is not in UTF-8. */
  override connect(): Promise<Client>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<Client> | undefined {
    if (callback === undefined) return this.#connect();
    unawaited(this.#connectFor(callback));
    return undefined;
  }

  async #connectFor(callback: Connected): Promise<void> {
    const failure = await this.#connect().then(
      () => undefined,
      (error: Error) => error,
    );
    callback(failure);
  }

  async #connect(): Promise<Client> {
    await super.connect();
    try {
      const text = storeSession(this.#idleMs);
      const timeout = this.#answerMs > 0 ? { query_timeout: this.#answerMs } : {};
      // Not the query of a pool's client, which takes a late answer for a silent network.
      const { rows }: QueryResult<{ encoding: string }> = await super.query({ text, ...timeout });
      checkEncoding(this.database ?? '', rows[0]?.encoding);
      await this.#onOpened?.((asked, values) => super.query({ text: asked, values: [...values], ...timeout }));
      return this;
    } catch (error) {
      await this.end().catch(() => undefined);
      throw error;
    }
  }
}
