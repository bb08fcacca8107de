import { randomUUID } from 'node:crypto';

import { InvariantError } from '@baton/engine';
import { UnavailableError } from '@baton/runner';
import { expect, test } from 'vitest';

import { QueueBell } from './bell.ts';
import type { BellJob } from './bellJob.ts';

function ringing(): { bell: QueueBell; trips: BellJob[][] } {
  const trips: BellJob[][] = [];
  return { trips, bell: new QueueBell(async (jobs) => void trips.push(jobs)) };
}

const run = (): { runId: string } => ({ runId: randomUUID() });

const runsIn = (jobs: readonly BellJob[]): readonly string[] => jobs.flatMap(({ data }) => data.runs);

test('rings of one turn of the event loop share a round trip, from all callers', async () => {
  const { bell, trips } = ringing();
  const committed = Promise.resolve();
  await Promise.all(Array.from({ length: 50 }, () => committed.then(() => bell.ring([run(), run()]))));
  expect(trips.map((jobs) => runsIn(jobs).length)).toEqual([100]);
  await bell.ring([run()]);
  expect(trips.map((jobs) => runsIn(jobs).length)).toEqual([100, 1]);
});

test('bells rung during a round trip share the next one', async () => {
  const trips: BellJob[][] = [];
  const isUnderWay = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const bell = new QueueBell(async (jobs) => {
    trips.push(jobs);
    isUnderWay.resolve();
    await goOn.promise;
  });
  const first = bell.ring([run()]);
  await isUnderWay.promise;
  const rest = [bell.ring([run()])];
  await new Promise(setImmediate);
  rest.push(bell.ring([run()]));
  goOn.resolve();
  await Promise.all([first, ...rest]);
  expect(trips.map((jobs) => runsIn(jobs).length)).toEqual([1, 2]);
});

test('while many bells are rung, those of some milliseconds share a round trip', async () => {
  const trips: BellJob[][] = [];
  const bell = new QueueBell(async (jobs) => void trips.push(jobs), 15);
  const ringing: Promise<void>[] = [];
  for (let turn = 0; turn < 30; turn += 1) {
    ringing.push(bell.ring([run(), run()]));
    await new Promise(setImmediate);
  }
  await Promise.all(ringing);
  expect(trips.flatMap(runsIn)).toHaveLength(60);
  // Each turn of the event loop would be a trip of its own.
  expect(trips.length).toBeLessThan(ringing.length);
});

test('bells that fill a job wait for no others', async () => {
  const trips: BellJob[][] = [];
  const bell = new QueueBell(async (jobs) => void trips.push(jobs), 60_000);
  await bell.ring(Array.from({ length: 8 }, run));
  await bell.ring(Array.from({ length: 32 }, run));
  expect(trips.map((jobs) => runsIn(jobs).length)).toEqual([8, 32]);
});

test('a crowd goes out in round trips of a thousand jobs of 32 runs, in order', async () => {
  const { bell, trips } = ringing();
  const crowd = Array.from({ length: 40_000 }, run);
  await bell.ring(crowd);
  expect(trips.map((jobs) => jobs.length)).toEqual([1_000, 250]);
  expect(runsIn(trips.flat())).toEqual(crowd.map(({ runId }) => runId));
});

test('a job holds ids of runs of one priority and nothing else, under an id that never comes again', async () => {
  const { bell, trips } = ringing();
  const [a, b, c, d] = [run(), run(), run(), run()].map(({ runId }) => runId) as [string, string, string, string];
  await bell.ring([
    { runId: a },
    { runId: b, priority: 7.5 },
    { runId: c, delayMs: -1, priority: -1 },
    { runId: d, priority: 8 },
  ]);
  const jobs = trips.flat();
  expect(jobs.map(({ data, opts }) => [data, opts.priority])).toEqual([
    [{ runs: [a, c] }, undefined],
    [{ runs: [b, d] }, 8],
  ]);
  expect(new Set(jobs.map(({ opts }) => opts.jobId)).size).toBe(2);
  for (const { opts } of jobs) expect(opts).toMatchObject({ removeOnComplete: true, removeOnFail: true });
});

test('a ring with a delay is a job of its own', async () => {
  const { bell, trips } = ringing();
  await bell.ring([run(), { ...run(), delayMs: 0.2, priority: 3 }, { ...run(), delayMs: 0.2, priority: 3 }]);
  expect(trips.flat().map(({ opts }) => [opts.delay, opts.priority])).toEqual([
    [undefined, undefined],
    [1, 3],
    [1, 3],
  ]);
});

test('two processes never use the same job id', async () => {
  const [one, other] = [ringing(), ringing()];
  const { runId } = run();
  await Promise.all([one.bell.ring([{ runId }]), other.bell.ring([{ runId }])]);
  expect(one.trips[0]?.[0]?.opts.jobId).not.toBe(other.trips[0]?.[0]?.opts.jobId);
});

test('a queue that refuses rejects every ring of that turn, with the cause', async () => {
  const cause = new Error('out of memory');
  const bell = new QueueBell(() => Promise.reject(cause));
  const rings = [bell.ring([run()]), bell.ring([run()])];
  for (const ring of rings) await expect(ring).rejects.toMatchObject({ name: 'UnavailableError', cause });
  await expect(bell.ring([run()])).rejects.toThrow(UnavailableError);
});

test('ringing for something that is no run is a bug', async () => {
  const { bell, trips } = ringing();
  await expect(bell.ring([run(), { runId: 'run-1' }])).rejects.toThrow(InvariantError);
  expect(trips).toEqual([]);
});
