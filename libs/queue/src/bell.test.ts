import { randomUUID } from 'node:crypto';

import { InvariantError } from '@baton/engine';
import { UnavailableError } from '@baton/runner';
import { expect, test } from 'vitest';

import { type BellJob, QueueBell } from './bell.ts';

function ringing(): { bell: QueueBell; trips: BellJob[][] } {
  const trips: BellJob[][] = [];
  return { trips, bell: new QueueBell(async (jobs) => void trips.push(jobs)) };
}

const run = (): { runId: string } => ({ runId: randomUUID() });

test('rings of one turn of the event loop share a round trip, whoever rings', async () => {
  const { bell, trips } = ringing();
  const committed = Promise.resolve();
  await Promise.all(Array.from({ length: 50 }, () => committed.then(() => bell.ring([run(), run()]))));
  expect(trips.map((jobs) => jobs.length)).toEqual([100]);
  await bell.ring([run()]);
  expect(trips.map((jobs) => jobs.length)).toEqual([100, 1]);
});

test('a crowd goes out in round trips of a thousand', async () => {
  const { bell, trips } = ringing();
  await bell.ring(Array.from({ length: 2_500 }, run));
  expect(trips.map((jobs) => jobs.length)).toEqual([1_000, 1_000, 500]);
});

test('a job holds the run’s id and nothing else, under an id that never comes again', async () => {
  const { bell, trips } = ringing();
  const { runId } = run();
  await bell.ring([{ runId }, { runId, delayMs: 0.2, priority: 7.5 }, { runId, delayMs: -1, priority: -1 }]);
  const jobs = trips.flat();
  expect(jobs.map(({ data }) => data)).toEqual([{ run: runId }, { run: runId }, { run: runId }]);
  expect(jobs.map(({ opts }) => [opts.delay, opts.priority])).toEqual([
    [undefined, undefined],
    [1, 8],
    [undefined, undefined],
  ]);
  expect(new Set(jobs.map(({ opts }) => opts.jobId)).size).toBe(3);
  for (const { opts } of jobs) {
    expect(opts).toMatchObject({ jobId: expect.stringContaining(`run-${runId}-`) as string, removeOnComplete: true });
  }
});

test('two processes never use the same job id', async () => {
  const [one, other] = [ringing(), ringing()];
  const { runId } = run();
  await Promise.all([one.bell.ring([{ runId }]), other.bell.ring([{ runId }])]);
  expect(one.trips[0]?.[0]?.opts.jobId).not.toBe(other.trips[0]?.[0]?.opts.jobId);
});

test('a queue that refuses tells everyone who rang in that turn, and keeps the cause', async () => {
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
