/**
 * Bells per second, from `ring` to `onBell`, beside bare BullMQ from `addBulk` to its processor, on the same servers in
 * the same run.
 *
 *   REDIS_URL=… DATABASE_URL=… node bench/queue.ts [seconds] [rounds]
 *
 * Both sides keep `inFlight` jobs under way, added in groups of `group`, with the same concurrency; the processors do
 * nothing. Rounds of both take turns, because a shared machine drifts. One warm-up round is thrown away.
 */
import { randomUUID } from 'node:crypto';

import { openQueue } from '@baton/queue';
import { QueueClient } from '@baton/store';
import { createPostgresBackend, createRedisBackend, Queue, Worker } from 'bullmq';

const [seconds = 5, rounds = 3] = process.argv.slice(2).map(Number);
const concurrency = 50;
const inFlight = 500;
const group = 50;

interface Side {
  readonly add: (ids: string[]) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

type OpenSide = (onJob: () => void) => Promise<Side>;

const baton =
  (settings: { redisUrl?: string; databaseUrl?: string }): OpenSide =>
  async (onJob) => {
    const queue = await openQueue({ databaseClient: QueueClient, ...settings, prefix: `bench${Date.now()}` });
    queue.listen(async () => onJob(), { concurrency });
    return { add: (ids) => queue.bell.ring(ids.map((runId) => ({ runId }))), close: () => queue.close() };
  };

const bareRedis =
  (url: string): OpenSide =>
  async (onJob) => {
    const options = { connection: { url, maxRetriesPerRequest: null }, prefix: `bench${Date.now()}` };
    const queue = new Queue('bare', options, createRedisBackend);
    const worker = new Worker('bare', async () => onJob(), { ...options, concurrency }, createRedisBackend);
    return bare(queue, worker);
  };

const barePostgres =
  (connectionString: string): OpenSide =>
  async (onJob) => {
    const connection = { connectionString, schema: `bench${Date.now()}`, migrate: true };
    const queue = new Queue('bare', { connection }, createPostgresBackend);
    await queue.waitUntilReady();
    const worker = new Worker('bare', async () => onJob(), { connection, concurrency }, createPostgresBackend);
    return bare(queue, worker);
  };

function bare(queue: Pick<Queue, 'addBulk' | 'close'>, worker: Pick<Worker, 'close'>): Side {
  const opts = { removeOnComplete: true, removeOnFail: true };
  return {
    add: (ids) =>
      queue.addBulk(ids.map((run) => ({ name: 'bell', data: { run }, opts: { ...opts, jobId: `b-${run}` } }))),
    close: async () => {
      await worker.close();
      await queue.close();
    },
  };
}

async function jobsPerSecond(open: OpenSide): Promise<number> {
  const run = { done: 0, underWay: 0, isOver: false };
  const ended = Promise.withResolvers<void>();
  const top = (): void => {
    while (!run.isOver && run.underWay + group <= inFlight) {
      run.underWay += group;
      side.add(Array.from({ length: group }, () => randomUUID())).catch(ended.reject);
    }
    if (run.isOver && run.underWay === 0) ended.resolve();
  };
  const side = await open(() => {
    run.done += 1;
    run.underWay -= 1;
    top();
  });
  const start = performance.now();
  setTimeout(() => {
    run.isOver = true;
  }, seconds * 1_000);
  top();
  await ended.promise;
  const rate = run.done / ((performance.now() - start) / 1_000);
  await side.close();
  return rate;
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function compare(backend: string, bareSide: OpenSide, ownSide: OpenSide): Promise<void> {
  const rates: { bare: number[]; baton: number[] } = { bare: [], baton: [] };
  for (let round = 0; round <= rounds; round += 1) {
    const result = { bare: await jobsPerSecond(bareSide), baton: await jobsPerSecond(ownSide) };
    if (round === 0) continue;
    rates.bare.push(result.bare);
    rates.baton.push(result.baton);
  }
  const [bareRate, ownRate] = [median(rates.bare), median(rates.baton)];
  console.log(
    `${backend.padEnd(9)} bare ${Math.round(bareRate)}/s, baton ${Math.round(ownRate)}/s, ratio ${(ownRate / bareRate).toFixed(2)}`,
  );
}

const { REDIS_URL: redisUrl, DATABASE_URL: databaseUrl } = process.env;
if (redisUrl !== undefined) await compare('redis', bareRedis(redisUrl), baton({ redisUrl }));
if (databaseUrl !== undefined) await compare('postgres', barePostgres(databaseUrl), baton({ databaseUrl }));
