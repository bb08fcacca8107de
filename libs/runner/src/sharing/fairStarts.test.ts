import { setImmediate } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { type Clock, systemClock } from '../ports/clock.ts';
import { FairStarts } from './fairStarts.ts';
import { RecentActivity } from './recentActivity.ts';

/** Runs of several callers, on a clock that stands still until `pass` is called. */
function starts() {
  let nowMs = 0;
  const timers = new Set<() => void>();
  const clock: Clock = {
    ...systemClock,
    monotonic: () => nowMs,
    after: (_, callback) => {
      timers.add(callback);
      return () => timers.delete(callback);
    },
  };
  const activity = new RecentActivity(clock);
  const fair = new FairStarts(clock, activity);
  const begun: string[] = [];
  const start = async (...runIds: string[]): Promise<void> => {
    for (const id of runIds) void fair.next({ id, by: callerOf(id), seq: 1 }).then(() => begun.push(id));
    await setImmediate();
  };
  const pass = async (ms: number): Promise<void> => {
    nowMs += ms;
    const due = [...timers];
    timers.clear();
    for (const timer of due) timer();
    await setImmediate();
  };
  return { activity, fair, begun, start, pass };
}

const callerOf = (runId: string): string => runId.replace(/\d+$/, '');
const runsOf = (by: string, from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, at) => `${by}${from + at}`);

test('a caller alone begins as many runs as there are slots', async () => {
  const { begun, start } = starts();
  await start(...runsOf('many', 1, 50));
  expect(begun).toHaveLength(50);
});

test('beside a caller with few runs that make activity, only four runs of a caller with many are active', async () => {
  const { activity, fair, begun, start, pass } = starts();
  await start('few1', ...runsOf('many', 1, 50));
  expect(begun).toEqual(['few1', ...runsOf('many', 1, 4)]);
  expect(['few', 'many', 'new'].map((by) => fair.mayBegin(by))).toEqual([true, false, true]);
  activity.forget('many2');
  await pass(1);
  expect(begun).toEqual(['few1', ...runsOf('many', 1, 5)]);
});

test('runs in which nothing happens for a while, such as those of a slow tool, hold no other run back', async () => {
  const { activity, begun, start, pass } = starts();
  await start('few1', ...runsOf('many', 1, 12));
  await pass(40);
  activity.note('few1', 'few');
  expect(begun).toEqual(['few1', ...runsOf('many', 1, 8)]);
  await pass(40);
  expect(begun).toHaveLength(13);
});

test('all begin when the other caller has been quiet for a moment', async () => {
  const { activity, begun, start, pass } = starts();
  await start('few1', ...runsOf('many', 1, 50));
  const note = (): void => runsOf('many', 1, 4).forEach((runId) => activity.note(runId, 'many'));
  await pass(150);
  note();
  const before = begun.length;
  await pass(20);
  expect(begun).toHaveLength(before);
  note();
  await pass(50);
  expect(begun).toHaveLength(51);
});

test('a run that comes later begins after those that are held back', async () => {
  const { activity, begun, start, pass } = starts();
  await start('few1', ...runsOf('many', 1, 6));
  activity.forget('many1');
  await start('many7');
  expect(begun).toEqual(['few1', ...runsOf('many', 1, 4)]);
  await pass(1);
  expect(begun).toEqual(['few1', ...runsOf('many', 1, 5)]);
});

test('a held run begins at once when there is news of it, and only then', async () => {
  const { fair, begun, start } = starts();
  await start('few1', ...runsOf('many', 1, 9));
  fair.routeHint({ runId: 'many7', seq: 1 });
  await setImmediate();
  expect(begun).not.toContain('many7');
  fair.routeHint({ runId: 'many7', seq: 2 });
  await setImmediate();
  expect(begun).toEqual(['few1', ...runsOf('many', 1, 4), 'many7']);
});

test('two callers with many runs do not hold each other back', async () => {
  const { begun, start, pass } = starts();
  const both = Array.from({ length: 20 }, (_, at) => [`one${at + 1}`, `other${at + 1}`]).flat();
  await start(...both);
  await pass(1);
  expect(begun).toHaveLength(40);
  await start(...runsOf('one', 21, 25));
  expect(begun).toHaveLength(45);
});
