import { expect, test } from 'vitest';

import { afterFailuresMs, afterPollMs } from './pollDelay.ts';

test('a worker polls every two seconds, and every second while it is crowded', () => {
  expect([false, true].map((isCrowded) => afterPollMs(50, { isCrowded, isDeaf: false }))).toEqual([2_000, 1_000]);
});

test('a poll that waits long for Postgres makes polls rarer: they take a tenth of the time, and come within ten seconds', () => {
  expect(
    [200, 400, 1_000, 60_000].map((waitedMs) => afterPollMs(waitedMs, { isCrowded: false, isDeaf: false })),
  ).toEqual([2_000, 4_000, 10_000, 10_000]);
  expect(afterPollMs(400, { isCrowded: true, isDeaf: false })).toBe(4_000);
});

test('a worker that hears no bells polls every two seconds, however long Postgres takes: runs wait for the poll alone', () => {
  expect([50, 1_000, 60_000].map((waitedMs) => afterPollMs(waitedMs, { isCrowded: false, isDeaf: true }))).toEqual([
    2_000, 2_000, 2_000,
  ]);
});

test('polls that fail become rarer, down to one in ten seconds', () => {
  expect([1, 2, 3, 4, 40].map(afterFailuresMs)).toEqual([2_000, 4_000, 8_000, 10_000, 10_000]);
});
