/** How old heartbeats of workers become, by the clock of Postgres. */
import { Client } from 'pg';

import { pause } from '../pause.ts';

const everyMs = 50;
/** Between two renewals, and a moment for each. */
const freshMs = 1_200;

/**
 * The age of the oldest heartbeat that one of these processes has during a fault, in milliseconds. Less the time by which
 * a look at it was late: on a busy machine everything is. The fault begins when all of them have got over the one before.
 */
export async function oldestHeartbeat(
  url: string,
  pids: readonly number[],
  fault: () => Promise<unknown>,
): Promise<number> {
  const client = new Client(url);
  await client.connect();
  const ageMs = async (): Promise<number> => {
    const { rows } = await client.query<{ ms: number | null }>(
      `select 1000 * extract(epoch from max(clock_timestamp() - heartbeat_at))::float8 as ms from worker where pid = any($1)`,
      [pids],
    );
    return rows[0]?.ms ?? 0;
  };
  while ((await ageMs()) > freshMs) await pause(everyMs);
  let oldestMs = 0;
  let lateMs = 0;
  const over = new AbortController();
  const done = fault().finally(() => over.abort());
  while (!over.signal.aborted) {
    const lookedAt = performance.now();
    oldestMs = Math.max(oldestMs, await ageMs());
    await pause(everyMs);
    lateMs = Math.max(lateMs, performance.now() - lookedAt - everyMs);
  }
  await client.end();
  await done;
  return oldestMs - lateMs;
}
