import { setTimeout } from 'node:timers/promises';

import type { Clock } from '@baton/runner';
import type { AuditProblem } from '@baton/store';
import { type FreshStore, freshStore, requestedEvent, runningRow, TestClock } from '@baton/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { Sealer } from './sealer.ts';

const everyMs = 60_000;

let store: FreshStore;
let clock: TestClock;

beforeEach(async () => {
  store = await freshStore();
  clock = new TestClock();
});
afterEach(() => store.close());

/** Rests while `onRest` runs; the milliseconds of each rest go into `rests`. Between two looks at its clock 50 ms pass. */
async function startedSealer(
  onRest: () => Promise<unknown> = async () => undefined,
): Promise<{ sealer: Sealer; rests: number[] }> {
  let ticks = 0;
  const rests: number[] = [];
  const own: Clock = {
    now: () => clock.now(),
    monotonic: () => (ticks += 50),
    after: (ms, callback) => {
      if (ms === everyMs) return clock.after(ms, callback);
      rests.push(ms);
      // oxlint-disable-next-line promise/no-callback-in-promise -- a clock calls back.
      void onRest().then(callback);
      return () => undefined;
    },
  };
  const onProblem = ({ message }: AuditProblem): never => {
    throw new Error(message);
  };
  // After a failure it waits for less than a minute, so the next pass would not come.
  const sealer = new Sealer({ store, clock: own, onRefused: () => undefined, onProblem, onTrouble: () => undefined });
  sealer.start();
  return { sealer, rests };
}

/** The next pass, after so many minutes. */
async function pass(minutes = 1): Promise<void> {
  clock.pass(minutes * everyMs);
  await expect.poll(() => clock.isAwaited(everyMs)).toBe(true);
}

/** Committed now; `agoMs`: how long ago it ended. */
async function finishedRun(agoMs: number): Promise<string> {
  const at = clock.now() - agoMs;
  const { runId } = await store.request({ event: requestedEvent({ at }) });
  const opened = await store.journal.open(runId);
  const row = runningRow({ status: 'succeeded', endedAt: at });
  await opened?.log.append({ events: [{ type: 'run.finished', at, status: 'succeeded' }], row });
  return runId;
}

const sealedRuns = async (): Promise<readonly string[]> =>
  (await store.pool.query<{ id: string }>('select run_id as id from sealed_run order by seal, place')).rows.map(
    ({ id }) => id,
  );

/** Runs that do not end and come first in the look at all runs, which takes 10,000 of them in a pass. */
const newerRuns = (passes: number): string => `
  insert into run (id, workflow, definition, status, trigger_kind, by, tags, priority, depth, inputs, created_at, is_waiting)
  select ('ffff0000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'w', 'd', 'waiting', 'api', 'k', '{}', 0, 0,
    '{"json":{}}', now(), true
  from generate_series(1, ${passes * 10_000}) as n`;

/**
 * Goal: the pass of each minute reads little, and yet no run stays without a seal.
 * Method: runs that are committed late, while the look through all runs is busy with others in the sixth pass.
 */
test('a run of a late commit is sealed by the next pass, one of a clock that is behind within five minutes', async () => {
  const { sealer } = await startedSealer();
  await store.pool.query(newerRuns(9));
  const first = await finishedRun(0);
  await pass();
  expect(await sealedRuns()).toEqual([first]);
  const late = await finishedRun(5_000);
  const behind = await finishedRun(15_000);
  for (let minute = 1; minute < 5; minute += 1) await pass();
  expect(await sealedRuns()).toEqual([first, late]);
  await pass();
  expect(await sealedRuns()).toEqual([first, late, behind]);
  await sealer.close();
});

/** More than one seal takes. They ended a millisecond apart, the last one `agoMs` ago. */
const manyRuns = (agoMs: number): Promise<readonly string[]> =>
  Promise.all(Array.from({ length: 501 }, (_, at) => finishedRun(agoMs + 501 - at)));

test('a pass rests after a full seal, twice as long as it took, and ends although a run ends in each rest', async () => {
  const { sealer, rests } = await startedSealer(() => finishedRun(0));
  await manyRuns(1_000);
  await pass();
  expect(rests).toEqual([100]);
  expect(await sealedRuns()).toHaveLength(502);
  await sealer.close();
});

/** Takes the place of a process that makes a seal, until the returned function is called. */
async function anotherSeals(): Promise<() => Promise<unknown>> {
  const other = await store.pool.connect();
  await other.query('select pg_advisory_lock(4400003)');
  return () => other.query('select pg_advisory_unlock(4400003)').finally(() => other.release());
}

/**
 * Goal: what a pass leaves undone, the next pass does, however long ago the runs ended.
 * Method: a pass of which only the first seal succeeds, and passes that meet another process, while the look through all
 * runs is busy with others.
 */
test('after a pass that was interrupted, the next process seals the rest', async () => {
  await store.pool.query(newerRuns(2));
  let release = async (): Promise<unknown> => undefined;
  const { sealer: first } = await startedSealer(async () => {
    release = await anotherSeals();
  });
  const hourAgo = 3_600_000;
  await manyRuns(hourAgo);
  await pass();
  expect(await sealedRuns()).toHaveLength(500);
  await first.close();
  await release();
  const { sealer: second } = await startedSealer();
  await pass();
  expect(await sealedRuns()).toHaveLength(501);
  await second.close();
});

test('a pass that met another process is made again', async () => {
  await store.pool.query(newerRuns(6));
  const { sealer } = await startedSealer();
  await finishedRun(0);
  await pass();
  const release = await anotherSeals();
  await finishedRun(0);
  for (const minutes of [1, 6, 20]) await pass(minutes);
  expect(await sealedRuns()).toHaveLength(1);
  await release();
  await pass();
  expect(await sealedRuns()).toHaveLength(2);
  await sealer.close();
});

test('who asks for seals waits for another process that makes one', async () => {
  const { sealer } = await startedSealer();
  await finishedRun(0);
  const release = await anotherSeals();
  const sealing = sealer.seal();
  await setTimeout(300);
  await release();
  await sealing;
  expect(await sealedRuns()).toHaveLength(1);
  await sealer.close();
});
