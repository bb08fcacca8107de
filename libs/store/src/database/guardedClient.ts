import { unawaited } from '@baton/primitives';
import { type ClientConfig, type QueryConfig, type QueryResult, Client } from 'pg';

import { checkEncoding } from './checkDatabase.ts';
import { type DatabaseAddress, readDatabaseAddress } from './databaseAddress.ts';
import { type Query, pooledQuery } from './pooledQuery.ts';
import { PrimaryHost } from './primaryHost.ts';
import { queueSession, storeSession, storeTransaction } from './sessionSettings.ts';

type Connected = (error?: Error) => void;

/** Asks something over a connection that was just opened. */
export type Ask = (text: string, values: readonly unknown[]) => Promise<QueryResult>;
export type OnOpened = (ask: Ask) => Promise<void>;

interface GuardOptions {
  /** Postgres ends a transaction that is idle for longer. */
  readonly idleMs?: number;
  /** The connection is closed where it rejects. */
  readonly onOpened?: OnOpened | undefined;
  /** What connections of one pool know of several hosts. */
  readonly primary?: PrimaryHost;
  /** The statement that gives the session its settings. Absent: that of the store. */
  readonly session?: string;
  /** A pooler gives each transaction another session: see `pooledQuery`. */
  readonly isPooled?: boolean;
}

/**
 * A connection whose loss never ends the process, and whose session has the settings that this code assumes. Postgres may
 * end a connection in the same packet in which it accepts it (57P01, at a restart); `pg` emits the error before the code
 * that waits for the connection can listen for it. The connection is not usable then, and its next query is rejected.
 */
export class GuardedClient extends Client {
  readonly #config: ClientConfig;
  readonly #address: DatabaseAddress;
  readonly #guard: GuardOptions;

  constructor(config: ClientConfig = {}, guard: GuardOptions = {}) {
    const address = readDatabaseAddress(config.connectionString ?? '');
    const own = config.connectionString === undefined ? config : { ...config, connectionString: address.url };
    super(own);
    this.#config = own;
    this.#address = address;
    this.#guard = guard;
    this.on('error', () => undefined);
  }

  /**
   * Rejects with `UnusableDatabaseError` where the database is not in UTF-8, and of several hosts where none takes writes.
   */
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
    const { hosts, schema } = this.#address;
    const { primary = new PrimaryHost() } = this.#guard;
    // `pg` reads both when it connects.
    if (hosts.length > 0) Object.assign(this, await primary.find(hosts, withoutStream(this.#config)));
    try {
      await super.connect();
      const { connectionTimeoutMillis: answerMs = 0 } = this.#config;
      const timeout = answerMs > 0 ? { query_timeout: answerMs } : {};
      const { idleMs = 0, isPooled = false, onOpened } = this.#guard;
      const { session = (isPooled ? storeTransaction : storeSession)(schema, idleMs) } = this.#guard;
      // Not the query of a pool's client, which takes a late answer for a silent network.
      const { rows }: QueryResult<{ encoding: string; isStandby: boolean }> = await super.query({
        text: session,
        ...timeout,
      });
      checkEncoding(this.database ?? '', rows[0]?.encoding);
      if (hosts.length > 0 && rows[0]?.isStandby === true) throw new Error('the host has become a standby');
      const send = (question: QueryConfig): Promise<QueryResult> => super.query(question);
      const ask = isPooled ? (pooledQuery(this, send as Query, session) as typeof send) : send;
      await onOpened?.((asked, values) => ask({ text: asked, values: [...values], ...timeout }));
      return this;
    } catch (error) {
      primary.forget();
      await this.end().catch(() => undefined);
      throw error;
    }
  }
}

/** A socket serves one connection. */
function withoutStream(config: ClientConfig): ClientConfig {
  const { stream: _, ...rest } = config;
  return rest;
}

/** A connection of the queue, which has tables and settings of its own, and need not wait for the disk. */
export class QueueClient extends GuardedClient {
  constructor(config?: ClientConfig) {
    super(config, { session: queueSession });
  }
}
