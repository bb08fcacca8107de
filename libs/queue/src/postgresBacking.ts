import type { EventEmitter } from 'node:events';

import { createPostgresBackend, type PgQueryable, type PostgresPoolConfig, Queue, Worker } from 'bullmq';

import { type QueueBacking, queueName } from './backing.ts';
import { listenSafely } from './listeningClient.ts';
import { steadyBackend } from './steadyBackend.ts';

/** BullMQ writes each of its events as a row; Baton does not read them. */
const eventsKept = 100;

interface ListenSession {
  query(text: string): Promise<unknown>;
  on(event: 'error', listener: () => void): unknown;
}

/** A class of `pg`, whose home is libs/store, or one that extends it. */
export type DatabaseClient = new (
  config?: object,
) => EventEmitter & PgQueryable & { connect(): Promise<unknown>; end(): Promise<void> };

export interface QueueTables {
  readonly url: string;
  readonly schema: string;
  /** The class of all connections. */
  readonly Client: DatabaseClient;
}

/**
 * A queue in BullMQ's own tables, which are there. It opens its own connections: two to ring, and for each listener up to
 * three to take and finish jobs and one for notifications.
 */
export function postgresBacking(tables: QueueTables, answerMs: number): QueueBacking {
  const { schema } = tables;
  const Connection = withoutOptions(tables.Client);
  const backend = steadyBackend((...args: Parameters<typeof createPostgresBackend>) => {
    const opened = createPostgresBackend(...args);
    listenSafely(opened.connection, Connection);
    return opened;
  });
  const connection = (config: PostgresPoolConfig): PostgresPoolConfig => ({
    connectionString: tables.url,
    Client: Connection,
    onConnect: (client: ListenSession) => beginSession(client, schema),
    schema,
    keepAlive: true,
    ...config,
  });
  const producer = new Queue(
    queueName,
    {
      connection: connection({ max: 2, connectionTimeoutMillis: 0.9 * answerMs, query_timeout: answerMs }),
      streams: { events: { maxLen: eventsKept } },
    },
    backend,
  );
  return {
    kind: 'postgres',
    firstPriority: 1,
    producer,
    consumer: (processor, options) => ({
      worker: new Worker(
        queueName,
        processor,
        { ...options, connection: connection({ max: 3, connectionTimeoutMillis: 5_000, query_timeout: 5_000 }) },
        backend,
      ),
      release: () => undefined,
    }),
    examine: async () => ({ findings: [] }),
    close: () => producer.close(),
  };
}

/**
 * BullMQ names its schema in an option of the start-up, which poolers refuse, and which would override those of the URL. The
 * session is told instead: see `beginSession`.
 */
const withoutOptions = (Base: DatabaseClient): DatabaseClient =>
  class extends Base {
    constructor(config: { readonly options?: unknown } = {}) {
      const { options: _, ...rest } = config;
      super(rest);
    }
  };

/**
 * A session of the queue. Its transactions do not wait for the disk: bells are hints (I1), and Postgres admits one
 * transaction at a time that notifies, until its commit has ended.
 *
 * A connection that is lost while BullMQ holds it, between two of its queries, has no listener of the pool: without one
 * the loss would end the process. BullMQ's next query is rejected.
 */
export async function beginSession(client: ListenSession, schema: string): Promise<void> {
  client.on('error', () => undefined);
  await client.query(`set search_path = "${schema}"; set synchronous_commit = off`);
}
