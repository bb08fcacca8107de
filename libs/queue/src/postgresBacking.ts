import { createPostgresBackend, type PostgresPoolConfig, Queue, Worker } from 'bullmq';

import { type QueueBacking, queueName } from './backing.ts';
import { listenSafely } from './listeningClient.ts';
import { steadyBackend } from './steadyBackend.ts';

const backend = steadyBackend((...args: Parameters<typeof createPostgresBackend>) => {
  const opened = createPostgresBackend(...args);
  listenSafely(opened.connection);
  return opened;
});

/** BullMQ writes each of its events as a row; Baton does not read them. */
const eventsKept = 100;

interface ListenSession {
  query(text: string): Promise<unknown>;
  on(event: 'error', listener: () => void): unknown;
}

interface PostgresBackingOptions {
  readonly prefix: string;
  readonly answerMs: number;
  readonly session: string | undefined;
}

/**
 * A queue in BullMQ's own tables and schema. It opens its own connections: two to ring, and for each listener up to three
 * to take and finish jobs and one for notifications. `session`: see `QueueSettings`.
 */
export function postgresBacking(url: string, { prefix, answerMs, session }: PostgresBackingOptions): QueueBacking {
  const connection = (config: PostgresPoolConfig): PostgresPoolConfig => ({
    ...asHints(url),
    onConnect: (client: ListenSession) => beginSession(client, session),
    schema: `${prefix}_queue`,
    migrate: true,
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
 * A connection that is lost while BullMQ holds it, between two of its queries, has no listener of the pool: without one
 * the loss would end the process. BullMQ's next query is rejected.
 */
export async function beginSession(client: ListenSession, session: string | undefined): Promise<void> {
  client.on('error', () => undefined);
  if (session !== undefined) await client.query(session);
}

/**
 * The connection of a queue. Its transactions do not wait for the disk: bells are hints (I1), and Postgres admits one
 * transaction at a time that notifies, until its commit has ended.
 *
 * Moves `options` out of the URL. BullMQ finds its tables through a start-up option, which `options` in the URL would
 * override; given separately, BullMQ joins both.
 */
export function asHints(url: string): { connectionString: string; options: string } {
  const parsed = new URL(url);
  const own = '-c synchronous_commit=off';
  const options = parsed.searchParams.get('options');
  if (options === null) return { connectionString: url, options: own };
  parsed.searchParams.delete('options');
  return { connectionString: parsed.href, options: `${options} ${own}` };
}
