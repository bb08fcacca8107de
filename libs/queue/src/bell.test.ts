import { randomUUID } from 'node:crypto';

import { InvariantError } from '@baton/engine';
import { UnavailableError } from '@baton/runner';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

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

describe('while many bells are rung', () => {
  /** Many bells have just left. The bells' own clock stands still. */
  async function afterMany(): Promise<{ bell: QueueBell; sizes: () => readonly number[] }> {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    onTestFinished(() => clock.mockRestore());
    const trips: BellJob[][] = [];
    const bell = new QueueBell(async (jobs) => void trips.push(jobs), { gatherMs: 60_000 });
    await bell.ring(Array.from({ length: 16 }, run));
    return { bell, sizes: () => trips.map((jobs) => runsIn(jobs).length) };
  }

  const ring = async (bell: QueueBell, count: number): Promise<void> => {
    for (let n = 0; n < count; n += 1) {
      void bell.ring([run()]);
      await new Promise(setImmediate);
    }
  };

  test('they wait for one another until they fill a job, time after time', async () => {
    const { bell, sizes } = await afterMany();
    await ring(bell, 31);
    expect(sizes()).toEqual([16]);
    await ring(bell, 1);
    expect(sizes()).toEqual([16, 32]);
    await ring(bell, 31);
    expect(sizes()).toEqual([16, 32]);
    await ring(bell, 1);
    expect(sizes()).toEqual([16, 32, 32]);
  });

  test('bells that fill a job leave at once', async () => {
    const { bell, sizes } = await afterMany();
    await bell.ring(Array.from({ length: 40 }, run));
    expect(sizes()).toEqual([16, 40]);
  });

  test('they leave when some milliseconds have passed', async () => {
    const trips: BellJob[][] = [];
    const bell = new QueueBell(async (jobs) => void trips.push(jobs), { gatherMs: 5 });
    await bell.ring(Array.from({ length: 16 }, run));
    await bell.ring([run()]);
    expect(runsIn(trips.flat())).toHaveLength(17);
  });
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
