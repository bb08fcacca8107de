import { liveness } from '@baton/runner';
import { type ClientConfig, type Client, Pool } from 'pg';

import { batonName } from './batonName.ts';
import type { OnOpened } from './guardedClient.ts';
import { watchedClient } from './watchedClient.ts';

export interface PoolOptions {
  readonly url: string;
  /**
   * The same database through a pooler of transactions: the way of everything that needs no session of its own. Absent:
   * everything goes to `url`.
   */
  readonly pooledUrl?: string | undefined;
  /** Of the connections, as Postgres shows it. */
  readonly applicationName?: string;
  /** Maximum number of connections, not counting three for the journal and one for the heartbeat. */
  readonly connections?: number;
  /** How long a statement may take until the database counts as unreachable. Default: 5 s; 15 s within a transaction. */
  readonly answerMs?: number;
  /** Called when an idle connection breaks. */
  readonly onTrouble?: (error: Error) => void;
}

export interface Pools {
  readonly requests: Pool;
  /** Of those that need a session: the same pool, unless requests go through a pooler. */
  readonly sessions: Pool;
  readonly journal: Pool;
  readonly heartbeat: Pool;
}

/** What owns a task for all processes holds one of these: see `Ownership`. */
const sessionsMax = 3;

export const usualAnswerMs = 5_000;

/** They connect at the first query. `onOpened`: see `GuardedClient`. */
export function openPools(options: PoolOptions, onOpened: OnOpened): Pools {
  const { url, pooledUrl, applicationName = batonName, connections = 10, answerMs = usualAnswerMs } = options;
  const { onTrouble = () => undefined } = options;
  const open = (max: number, WatchedClient: new (config?: ClientConfig) => Client, own: ClientConfig = {}): Pool => {
    const patienceMs = own.query_timeout ?? answerMs;
    return new Pool({
      connectionString: url,
      application_name: applicationName,
      max,
      connectionTimeoutMillis: Math.min(5_000, patienceMs),
      query_timeout: patienceMs,
      keepAlive: true,
      ...own,
      Client: WatchedClient,
    }).on('error', onTrouble);
  };
  const Watched = watchedClient(onOpened);
  const sessions = open(pooledUrl === undefined ? connections : sessionsMax, Watched);
  return {
    sessions,
    requests:
      pooledUrl === undefined
        ? sessions
        : open(connections, watchedClient(onOpened, true), { connectionString: pooledUrl }),
    // The journal has its own connections, so that it never waits behind long reads.
    journal: open(3, Watched),
    // Not even closed together with others: one long statement is no reason for a late heartbeat.
    heartbeat: open(1, watchedClient(), { query_timeout: Math.min(answerMs, liveness.fenceMs / 2) }),
  };
}
