/** Schedules over all changes of clocks of ten years, in every zone. */
import { wallClock } from '@baton/expressions';
import { Cron } from 'croner';
import { assert, constantFrom, property } from 'fast-check';
import { expect, test } from 'vitest';

import { instantsAfter } from './instants.ts';

const dayMs = 86_400_000;
const minuteMs = 60_000;
const hourMs = 3_600_000;
const from = Date.UTC(2016, 0, 1);
const to = Date.UTC(2026, 0, 1);

interface ClockChange {
  readonly zone: string;
  /** The first point in time with the new offset. */
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

const offsetAt = (zone: string, at: number): number => wallClock(at, zone)?.offsetMs ?? Number.NaN;

/** The shortest time between two changes in these years is four weeks: Morocco during Ramadan. */
const step = 14 * dayMs;

function changesIn(zone: string): ClockChange[] {
  const changes: ClockChange[] = [];
  for (let [start, before] = [from, offsetAt(zone, from)]; start < to; start += step) {
    const after = offsetAt(zone, start + step);
    if (after === before) continue;
    let [low, high] = [start, start + step];
    while (high - low > minuteMs) {
      const middle = Math.floor((low + high) / 2 / minuteMs) * minuteMs;
      if (offsetAt(zone, middle) === after) high = middle;
      else low = middle;
    }
    changes.push({ zone, at: high, before, after });
    before = after;
  }
  return changes;
}

/** One zone for all that change their clocks alike. */
const zones = new Map(
  Intl.supportedValuesOf('timeZone').map((zone) => {
    const changes = changesIn(zone);
    return [changes.map(({ at, before, after }) => `${at} ${before} ${after}`).join(), changes] as const;
  }),
);
const changes = [...zones.values()].flat();
const gaps = changes.filter(({ before, after }) => after > before);

/** The digits of a wall clock, as epoch milliseconds in UTC. */
const fieldsOf = (wall: number): { minute: number; hour: number; day: number; month: number; weekday: number } => {
  const date = new Date(wall);
  return {
    minute: date.getUTCMinutes(),
    hour: date.getUTCHours(),
    day: date.getUTCDate(),
    month: date.getUTCMonth() + 1,
    weekday: date.getUTCDay(),
  };
};

/** Each names a time in the gap: once a day, in a list, a range or a step, on its date, on its weekday, with seconds. */
const forms: readonly ((wall: ReturnType<typeof fieldsOf>) => string)[] = [
  ({ minute, hour }) => `${minute} ${hour} * * *`,
  ({ minute, hour }) => `${minute} ${hour},${(hour + 12) % 24} * * *`,
  ({ minute, hour }) => `${minute},${(minute + 30) % 60} ${hour} * * *`,
  ({ hour }) => `*/15 ${hour} * * *`,
  ({ minute, hour }) => `${minute}-59 ${hour} * * *`,
  ({ minute, hour }) => `${minute} ${Math.min(hour, 22)}-${Math.min(hour, 22) + 1} * * *`,
  ({ minute, hour }) => `${minute} ${hour}-23/2 * * *`,
  ({ minute, hour, day, month }) => `${minute} ${hour} ${day} ${month} *`,
  ({ minute, hour, weekday }) => `${minute} ${hour} * * ${weekday}`,
  ({ minute, hour, day }) => `30 ${minute} ${hour} ${day} * *`,
];

test('There are changes of clocks by an hour and by half an hour, at midnight and at other hours.', () => {
  expect(zones.size).toBeGreaterThan(50);
  expect(gaps.length).toBeGreaterThan(300);
  expect(gaps.map(({ before, after }) => after - before)).toEqual(expect.arrayContaining([hourMs, hourMs / 2]));
});

/**
 * Goal: a time that does not exist is not lost, and fires once.
 * Method: every gap of ten years in every zone; crons of each form that name the middle of the gap. The first instant
 * after the last one before the gap is the end of the gap, and it comes once.
 */
test.each(forms.map((form) => [form(fieldsOf(2.5 * hourMs)), form] as const))(
  'A cron such as "%s" that names a time within a gap fires once, right after the gap.',
  (_, form) => {
    for (const { zone, at, before, after } of gaps) {
      const middle = at + before + Math.floor((after - before) / 2 / minuteMs) * minuteMs;
      const cron = form(fieldsOf(middle));
      const [first, second = Infinity] = instantsAfter({ times: cron, timezone: zone }, at - 1).take(2);
      expect([cron, zone, first]).toEqual([cron, zone, at]);
      expect(second).toBeGreaterThan(at);
    }
  },
);

const isFixed = (cron: string): boolean => !cron.startsWith('*/');

/**
 * Goal: around a change each time of a schedule fires once; only what goes on by the minute or the hour fires in both
 * passes of a repeated hour.
 * Method: random changes and crons of every kind. What fires within five hours before and after is compared with all
 * minutes of that time, each held against the cron by the digits that a wall clock shows.
 */
test('Around each change of clocks a schedule fires at the minutes that the wall clock shows, none twice.', () => {
  const crons = ['30 2 * * *', '30 2,14 * * *', '0,30 1-3 * * *', '*/20 * * * *', '*/30 1-3 * * *', '0 * * * *'];
  const others = ['0 0 * * *', '15 */2 * * *', '5 0-23 * * *', '45 23 * * *', '0 0-4 * * 0,6', '10,50 0 1-31 3,4 *'];
  assert(
    property(constantFrom(...changes), constantFrom(...crons, ...others), ({ zone, at, before, after }, cron) => {
      const [start, end] = [at - 5 * hourMs, at + 5 * hourMs];
      const found = instantsAfter({ times: cron, timezone: zone }, start - 1)
        .take(100)
        .filter((one) => one <= end)
        .toArray();
      const pattern = new Cron(cron, { paused: true, utcOffset: 0 });
      const has = (wall: number): boolean => pattern.match(new Date(wall));
      const minutes = Array.from({ length: (end - start) / minuteMs + 1 }, (_, i) => start + i * minuteMs);
      const isHourly = /^\S+ (\*|0-23) /.test(cron);
      const shown = minutes.filter((one) => {
        const isSecond = one >= at && one + after < at + before;
        return has(one + (one < at ? before : after)) && !(isSecond && isFixed(cron) && !isHourly);
      });
      const gap = Array.from({ length: Math.max(0, after - before) / minuteMs }, (_, i) => at + before + i * minuteMs);
      const isLost = gap.some((wall) => has(wall) && !(isHourly && has(wall + after - before)));
      const expected = new Set(isLost ? [...shown, at] : shown);
      expect(found).toEqual([...expected].toSorted((a, b) => a - b));
    }),
    { numRuns: 250 },
  );
});
