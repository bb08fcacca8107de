/** How old heartbeats of workers become, by the clock of Postgres. */
import { Client } from 'pg';

import { pause } from '../pause.ts';

const everyMs = 50;

/**
 * The age of the oldest heartbeat that one of these processes had until `isOver`, in milliseconds. Less the time by which
 * a look at it was late: on a busy machine everything is.
 */
export async function oldestHeartbeat(url: string, pids: readonly number[], isOver: Promise<unknown>): Promise<number> {
  const client = new Client(url);
  await client.connect();
  let oldestMs = 0;
  let lateMs = 0;
  const over = new AbortController();
  const done = isOver.finally(() => over.abort());
  while (!over.signal.aborted) {
    const lookedAt = performance.now();
    const { rows } = await client.query<{ ms: number | null }>(
      `select 1000 * extract(epoch from max(clock_timestamp() - heartbeat_at))::float8 as ms from worker where pid = any($1)`,
      [pids],
    );
    oldestMs = Math.max(oldestMs, rows[0]?.ms ?? 0);
    await pause(everyMs);
    lateMs = Math.max(lateMs, performance.now() - lookedAt - everyMs);
  }
  await client.end();
  await done;
  return oldestMs - lateMs;
}
