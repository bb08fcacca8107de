import type { Clock } from '@baton/runner';
import type { FreshStore } from '@baton/testing';
import { freshStore, requestedEvent, runningRow } from '@baton/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { TestClock } from '../testing/testClock.ts';
import { Sealer } from './sealer.ts';

const everyMs = 60_000;

let store: FreshStore;
let clock: TestClock;

beforeEach(async () => {
  store = await freshStore();
  clock = new TestClock();
});
afterEach(() => store.close());

/** Rests at once; the milliseconds of each rest go into `rests`. Between two looks at its clock 50 ms pass. */
async function startedSealer(): Promise<{ sealer: Sealer; rests: number[] }> {
  let ticks = 0;
  const rests: number[] = [];
  const own: Clock = {
    now: () => clock.now(),
    monotonic: () => (ticks += 50),
    after: (ms, callback) => {
      if (ms === everyMs) return clock.after(ms, callback);
      rests.push(ms);
      queueMicrotask(callback);
      return () => undefined;
    },
  };
  // After a failure it waits for less than a minute, so the next pass would not come.
  const sealer = new Sealer({ store, clock: own, onRefused: () => undefined, onTrouble: () => undefined });
  sealer.start();
  await sealer.begun;
  return { sealer, rests };
}

/** The pass of the next minute. */
async function pass(): Promise<void> {
  clock.pass(everyMs);
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
const olderRuns = `
  insert into run (id, workflow, definition, status, trigger_kind, by, tags, priority, depth, inputs, created_at, is_waiting)
  select lpad(to_hex(n), 32, '0')::uuid, 'w', 'd', 'waiting', 'api', 'k', '{}', 0, 0, '{"json":{}}', now(), true
  from generate_series(1, 30000) as n`;

/**
 * Goal: the pass of each minute reads little, and yet no run stays without a seal.
 * Method: runs that are committed late, while the look through all runs is busy with others in the sixth pass.
 */
test('a run of a late commit is sealed by the next pass, one of a clock that is behind within five minutes', async () => {
  const { sealer } = await startedSealer();
  await store.pool.query(olderRuns);
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

test('a pass rests after each seal, twice as long as it took', async () => {
  const { sealer, rests } = await startedSealer();
  for (let run = 0; run < 3; run += 1) await finishedRun(1_000 - run);
  await pass();
  expect(rests).toEqual([100]);
  expect(await sealedRuns()).toHaveLength(3);
  await sealer.close();
});
