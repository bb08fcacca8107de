import { createPostgresBackend, type PostgresPoolConfig, Queue, Worker } from 'bullmq';

import { type Backing, queueName } from './backing.ts';
import { steadyBackend } from './steadyBackend.ts';

const backend = steadyBackend(createPostgresBackend);

/** BullMQ writes each event as a row; Baton does not read them. */
const eventsKept = 100;

/**
 * A queue in BullMQ's own tables, in a schema of their own. It brings its own connections: two to ring, and for each
 * listener up to three to take and finish jobs, and one to be notified on.
 */
export function postgresBacking(url: string, prefix: string): Backing {
  const connection = (config: PostgresPoolConfig): PostgresPoolConfig => ({
    ...splitOptions(url),
    schema: `${prefix}_queue`,
    migrate: true,
    keepAlive: true,
    ...config,
  });
  const producer = new Queue(
    queueName,
    {
      connection: connection({ max: 2, connectionTimeoutMillis: 900, query_timeout: 1_000 }),
      streams: { events: { maxLen: eventsKept } },
    },
    backend,
  );
  return {
    kind: 'postgres',
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
 * BullMQ finds its tables through a start-up option, and `options` in the URL would overrule it: hand them over apart,
 * where it puts both together.
 */
export function splitOptions(url: string): { connectionString: string; options?: string } {
  const parsed = new URL(url);
  const options = parsed.searchParams.get('options');
  if (options === null) return { connectionString: url };
  parsed.searchParams.delete('options');
  return { connectionString: parsed.href, options };
}
