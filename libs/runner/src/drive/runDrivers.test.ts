import { MemoryJournal, planOf, requestedEvent, testPorts } from '@baton/testing';
import { expect, test } from 'vitest';

import { bellAheadMs } from '../ports/bell.ts';
import type { Clock } from '../ports/clock.ts';
import { systemClock } from '../ports/clock.ts';
import { BlobCache } from '../values/blobCache.ts';
import { RunDrivers } from './runDrivers.ts';

const runId = '0197a000-0000-7000-8000-000000000001';

function drivesOn(journal: MemoryJournal, clock: Clock): RunDrivers {
  const plan = planOf('workflow: w\nsteps:\n  - { id: one, set: { x: 1 } }\n');
  return new RunDrivers(
    testPorts({ worker: 'w1', journal, blobs: journal.blobs, cache: new BlobCache(0), plans: async () => plan, clock }),
  );
}

/** Time passes only while the code under test waits; `onWait` runs meanwhile. */
function clockOf(onWait: (nowMs: number) => Promise<unknown>): Clock {
  let nowMs = 0;
  return {
    ...systemClock,
    monotonic: () => nowMs,
    after: (ms, callback) => {
      nowMs += ms;
      // oxlint-disable-next-line promise/no-callback-in-promise -- a clock calls back.
      void onWait(nowMs).then(callback);
      return () => {};
    },
  };
}

test('a bell that rings before its run is on record is not lost', async () => {
  const journal = new MemoryJournal();
  const clock = clockOf(async (nowMs) => {
    if (nowMs === bellAheadMs) await journal.request({ runId, event: requestedEvent() });
  });
  expect(await drivesOn(journal, clock).drive(runId)).toBe('finished');
});

test('a run that does not exist is not waited for for ever', async () => {
  let waits = 0;
  const clock = clockOf(async () => {
    waits += 1;
  });
  expect(await drivesOn(new MemoryJournal(), clock).drive(runId)).toBe('gone');
  expect(waits).toBe(bellAheadMs);
});

/**
 * Goal: a worker in which one caller has many runs leaves time to a caller with one.
 * Method: runs that wait for a moment, on a clock by which something has happened in each of them just now.
 */
test('runs of a caller with many are held back beside a run of another caller, and leave with the others', async () => {
  const journal = new MemoryJournal();
  const clock: Clock = { ...systemClock, monotonic: () => 0 };
  const plan = planOf('workflow: w\nsteps: [{ wait: 1s }]\n');
  const drivers = new RunDrivers(
    testPorts({ worker: 'w1', journal, blobs: journal.blobs, plans: async () => plan, clock }),
  );
  const start = async (by: string): Promise<{ by: string; runId: string; over: Promise<unknown> }> => {
    const made = await journal.request({ event: requestedEvent({ by }) });
    if (made.kind !== 'created') throw new Error(made.kind);
    return { by, runId: made.runId, over: drivers.drive(made.runId) };
  };
  const runs = [await start('few')];
  for (let count = 0; count < 12; count += 1) runs.push(await start('many'));
  const begun = (): string[] => runs.filter(({ runId }) => journal.row(runId)?.status !== 'queued').map(({ by }) => by);
  await expect.poll(begun).toEqual(['few', ...Array.from({ length: 4 }, () => 'many')]);
  expect(drivers.size).toBe(13);
  drivers.leave('now');
  await Promise.all(runs.map(({ over }) => over));
  expect(drivers.size).toBe(0);
});
