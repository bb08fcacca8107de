import { setImmediate } from 'node:timers/promises';

import { MemoryJournal, planOf, requestedEvent, testPorts } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { Driver } from '../drive/driver.ts';
import { openDriver } from '../drive/openDriver.ts';
import { RunDrivers } from '../drive/runDrivers.ts';
import type { Ports } from '../drivePorts.ts';
import { type Clock, systemClock } from '../ports/clock.ts';
import { RecentActivity } from './recentActivity.ts';
import { Slices } from './slices.ts';

function portsWith(journal: MemoryJournal, clock: Clock, text: string): Ports {
  const plan = planOf(text);
  return testPorts({ worker: 'w1', journal, blobs: journal.blobs, plans: async () => plan, clock });
}

/**
 * Goal: a run that only computes does not keep its worker from everything else.
 * Method: a clock on which everything takes long, and a second task that counts its turns.
 */
test('a run that decides for long does not block other runs', async () => {
  let passedMs = 0;
  const clock: Clock = { ...systemClock, monotonic: () => (passedMs += 10) };
  const journal = new MemoryJournal();
  const ports = portsWith(
    journal,
    clock,
    `
workflow: w
steps:
  - id: each
    forEach: "\${{ range(100) }}"
    maxParallel: 20
    steps: [{ set: { x: "\${{ item * 2 }}" } }]
    collect: "\${{ index }}"
outputs: { sum: "\${{ sum(steps.each.output) }}" }
`,
  );
  const made = await journal.request({ event: requestedEvent({ inputs: { json: {} } }) });
  if (made.kind !== 'created') throw new Error(made.kind);
  const over = new AbortController();
  let turns = 0;
  const others = (async () => {
    for (; !over.signal.aborted; turns++) await setImmediate();
  })();
  expect(await new RunDrivers(ports).drive(made.runId)).toBe('finished');
  over.abort();
  await others;
  expect(journal.row(made.runId)).toMatchObject({ status: 'succeeded', outputs: { json: { sum: 4950 } } });
  // One for each item at least: its step, or its end.
  expect(turns).toBeGreaterThan(100);
});

function sharedBy(clock: Clock) {
  const activity = new RecentActivity(clock);
  return { activity, slices: new Slices(clock, activity) };
}

describe('slices of runs that decide for long', () => {
  const saved = Promise.resolve();
  const newSlices = (): Slices => sharedBy(systemClock).slices;

  test('rotate between callers, however many runs each has', async () => {
    const slices = newSlices();
    const order: string[] = [];
    const take = async (by: string): Promise<void> => {
      await slices.next(by, saved);
      order.push(by);
    };
    await Promise.all(['a', 'a', 'a', 'a', 'b', 'b', 'c'].map(take));
    expect(order.join('')).toBe('abcabaa');
  });

  test('run one at a time, with other work between two of them', async () => {
    const slices = newSlices();
    const begun: number[] = [];
    const all = Promise.all(
      Array.from({ length: 50 }, async (_, at) => {
        await slices.next('a', saved);
        begun.push(at);
      }),
    );
    const seen = [0];
    for (let rounds = 0; rounds < 60; rounds++) {
      await setImmediate();
      seen.push(begun.length);
    }
    await all;
    expect(Math.max(...seen.slice(1).map((count, at) => count - (seen[at] ?? 0)))).toBe(1);
  });

  test('wait while two of them are not durable', async () => {
    const slices = newSlices();
    const writes = [1, 2, 3].map(() => Promise.withResolvers<void>());
    const begun: number[] = [];
    const waits = writes.map(async ({ promise }, at) => {
      await slices.next('a', promise);
      begun.push(at);
    });
    for (let rounds = 0; rounds < 5; rounds++) await setImmediate();
    expect(begun).toEqual([]);
    writes[0]?.resolve();
    writes[1]?.reject(new Error('it could not be written'));
    await Promise.all(waits);
    expect(begun).toEqual([0, 1, 2]);
  });

  /** A slice of caller a, and its milliseconds. */
  const lengthOf = async (slices: Slices): Promise<number> => slices.next('a', saved);
  const shortMs = 2;

  test('Slices are short, each after the commit of the one before, while a run of another caller is active', async () => {
    const { slices, activity } = sharedBy({ ...systemClock, monotonic: () => 0 });
    activity.note('run of b', 'b');
    const write = Promise.withResolvers<void>();
    const begun: number[] = [];
    const wait = slices.next('a', write.promise).then((ms) => begun.push(ms));
    for (let rounds = 0; rounds < 5; rounds++) await setImmediate();
    expect(begun).toEqual([]);
    write.resolve();
    await wait;
    expect(begun).toEqual([shortMs]);
    expect(await lengthOf(newSlices())).toBeGreaterThan(shortMs);
  });

  test('Slices are short for a moment after the activity of another caller, and not after that of the same caller', async () => {
    let nowMs = 1_000;
    const { slices, activity } = sharedBy({ ...systemClock, monotonic: () => nowMs });
    activity.note('run of a', 'a');
    expect(await lengthOf(slices)).toBeGreaterThan(shortMs);
    for (const by of ['b', 'c', 'a']) activity.note(`run of ${by}`, by);
    nowMs += 150;
    expect(await lengthOf(slices)).toBe(shortMs);
    nowMs += 100;
    expect(await lengthOf(slices)).toBeGreaterThan(shortMs);
  });

  test('are short after a run of another caller that began and ended between two of them', async () => {
    const journal = new MemoryJournal();
    const clock: Clock = { ...systemClock, monotonic: () => 0 };
    const ports = portsWith(journal, clock, 'workflow: w\nsteps: [{ set: { a: 1 } }]\n');
    const { runId } = await journal.request({ event: requestedEvent() });
    const { slices, activity } = sharedBy(clock);
    const driver = await openDriver({ ports, time: { slices, activity }, hold: async () => false }, runId);
    if (!(driver instanceof Driver)) throw new Error(`the run cannot be driven: ${driver}`);
    expect(await driver.drive()).toBe('finished');
    expect(await lengthOf(slices)).toBe(shortMs);
    expect(await slices.next(driver.run.by, saved)).toBeGreaterThan(shortMs);
  });

  test('leave as much time as they take to a run of another caller that makes activity', async () => {
    let nowMs = 0;
    let waits = 0;
    const clock: Clock = {
      ...systemClock,
      monotonic: () => nowMs,
      after: (ms, callback) => {
        waits += 1;
        nowMs += ms;
        queueMicrotask(callback);
        return () => undefined;
      },
    };
    const { slices, activity } = sharedBy(clock);
    const slice = async (): Promise<void> => {
      await slices.next('a', saved);
      nowMs += 7;
    };
    activity.note('run of b', 'b');
    await Promise.all([slice(), slice()]);
    expect(waits).toBe(7);
    nowMs += 100;
    await Promise.all([slice(), slice()]);
    expect(waits).toBe(7);
  });
});
