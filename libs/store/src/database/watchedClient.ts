/**
 * Connections that react together to a silent network or Postgres. When one gets no answer in time, it and all idle ones
 * are closed: a firewall that drops its state, or a standby that takes the address, leaves every open connection dead at
 * once, and each would cost another caller the whole wait.
 */
import { Socket } from 'node:net';

import { unawaited } from '@baton/primitives';
import { type ClientConfig, Client } from 'pg';

import { readDatabaseAddress } from './databaseAddress.ts';
import { GuardedClient, type OnOpened } from './guardedClient.ts';
import { type Query, pooledQuery } from './pooledQuery.ts';
import { PrimaryHost } from './primaryHost.ts';
import { storeTransaction } from './sessionSettings.ts';

interface WatchedConnection {
  readonly client: Client;
  readonly socket: Socket;
  queries: number;
}

/** Longer than elsewhere: the connection answered a moment ago, and removing or sealing many runs takes a while. */
const transactionAnswerMs = 15_000;

/**
 * Postgres ends a transaction that is idle for longer, since others may wait for its locks. No run and no heartbeat waits for
 * those of Prisma's transactions (deployments, keys, secrets, the audit); `inTransaction` allows less.
 */
const idleMs = 10_000;

/** A class of clients for pools, whose connections form one group. `onOpened`, `isPooled`: see `GuardedClient`. */
export function watchedClient(onOpened?: OnOpened, isPooled = false): new (config?: ClientConfig) => Client {
  const group = new Set<WatchedConnection>();
  const primary = new PrimaryHost();
  return class extends GuardedClient {
    constructor(config: ClientConfig = {}) {
      const socket = new Socket();
      super({ ...config, stream: () => socket }, { idleMs, onOpened, primary, isPooled });
      const { schema } = readDatabaseAddress(config.connectionString ?? '');
      watch(group, { client: this, socket, queries: 0 }, isPooled ? storeTransaction(schema, idleMs) : undefined);
    }
  };
}

/** `settings`: of each transaction, where a pooler gives it another session. */
function watch(group: Set<WatchedConnection>, connection: WatchedConnection, settings: string | undefined): void {
  const { client, socket } = connection;
  group.add(connection);
  socket.once('close', () => group.delete(connection));
  /**
   * Rejects the waiting caller after the dead connections are closed, so that its next request does not get one of
   * them.
   */
  const ended = async (error: unknown): Promise<void> => {
    connection.queries -= 1;
    if (isSilence(error) && group.has(connection)) await closeSilent(group, connection);
  };
  // Looked up at each call: tests observe it there.
  const send: Query = (...given) => Reflect.apply(Reflect.get(Client.prototype, 'query') as Query, client, given);
  const pooled = settings === undefined ? send : pooledQuery(client, send, settings);
  const query: Query = (...given) => {
    connection.queries += 1;
    const sent = client.getTransactionStatus() === 'T' ? withLongerTimeout(given) : given;
    const answer = pooled(...sent.map((part) => (isCallback(part) ? after(part, ended) : part)));
    if (!(answer instanceof Promise)) return answer;
    return answer.then(
      (result: unknown) => {
        unawaited(ended(undefined));
        return result;
      },
      async (error: unknown) => {
        await ended(error);
        throw error;
      },
    );
  };
  client.query = query as Client['query'];
}

type Callback = (error: unknown, ...more: unknown[]) => void;

const isCallback = (part: unknown): part is Callback => typeof part === 'function';

const after =
  (callback: Callback, ended: (error: unknown) => Promise<void>): Callback =>
  async (error, ...more) => {
    const closed = ended(error);
    if (isSilence(error)) await closed;
    callback(error, ...more);
  };

const withLongerTimeout = ([what, values, ...more]: unknown[]): unknown[] => {
  const query: object =
    typeof what === 'string' ? { text: what, ...(Array.isArray(values) && { values }) } : Object(what);
  return [{ ...query, query_timeout: transactionAnswerMs }, values, ...more];
};

/** Compares the message, since `pg` gives this error no code. */
const isSilence = (error: unknown): boolean => error instanceof Error && error.message === 'Query read timeout';

/** Closes the silent connection and the idle ones. A connection that is busy or being made has a time limit itself. */
async function closeSilent(group: ReadonlySet<WatchedConnection>, silent: WatchedConnection): Promise<void> {
  const idle = [...group].filter(({ client, queries }) => queries === 0 && client.getTransactionStatus() === 'I');
  const dead = new Set([silent, ...idle]);
  const ends = [...dead].map(({ client }) => new Promise((end) => client.once('end', end)));
  for (const { socket } of dead) socket.destroy();
  await Promise.all(ends);
}
