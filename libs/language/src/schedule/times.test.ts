import { assert, constantFrom, integer, property, tuple } from 'fast-check';
import { describe, expect, test } from 'vitest';

import { instantsAfter } from './instants.ts';
import { pointInTime } from './times.ts';

const take = (times: string, timezone: string, from: string, n: number): string[] =>
  instantsAfter({ times, timezone }, Date.parse(from))
    .take(n)
    .map((at) => new Date(at).toISOString().replace(':00.000Z', ''))
    .toArray();

describe('an interval', () => {
  test('An interval without a beginning is counted from that of 1970 in UTC, in every zone', () => {
    const expected = ['2026-03-29T00:00', '2026-03-29T01:30', '2026-03-29T03:00'];
    expect(take('every 90m', 'UTC', '2026-03-28T23:00:00Z', 3)).toEqual(expected);
    expect(take('every 90m', 'Europe/Berlin', '2026-03-28T23:00:00Z', 3)).toEqual(expected);
  });

  test('An interval has no times before its beginning', () => {
    const times = 'every 1d from 2026-03-28T09:30';
    expect(take(times, 'Europe/Berlin', '2020-01-01T00:00:00Z', 3)).toEqual([
      '2026-03-28T08:30',
      '2026-03-29T08:30',
      '2026-03-30T08:30',
    ]);
    expect(take(times, 'Europe/Berlin', '2026-03-28T08:30:00Z', 1)).toEqual(['2026-03-29T08:30']);
  });

  test('An interval ends with the last point in time that there is', () => {
    expect(take('every 1h', 'UTC', '+275760-09-12T23:30:00Z', 9)).toEqual(['+275760-09-13T00:00']);
  });

  /**
   * Goal: an interval never drifts, wherever a reader begins and however many times were taken.
   * Method: the times after a random one differ by the interval, the first is the next multiple from the beginning, and
   * a reader that begins at one of them sees the rest.
   */
  test('An interval is the same from wherever it is asked, and never drifts', () => {
    const minutes = integer({ min: 1, max: 200_000 });
    const second = integer({ min: 0, max: 4_000_000_000 });
    assert(
      property(minutes, second, second, integer({ min: 1, max: 20 }), (every, from, after, n) => {
        const [everyMs, fromMs, afterMs] = [every * 60_000, from * 1_000, after * 1_000];
        const recurrence = { times: `every ${every}m from ${new Date(fromMs).toISOString()}`, timezone: 'UTC' };
        const seen = [...instantsAfter(recurrence, afterMs).take(n + 1)];
        const [first = 0] = seen;
        expect(seen).toEqual(seen.map((_, i) => first + i * everyMs));
        expect((first - fromMs) % everyMs).toBe(0);
        expect(first > afterMs && (first === fromMs || first - everyMs <= afterMs)).toBe(true);
        expect([...instantsAfter(recurrence, first).take(n)]).toEqual(seen.slice(1));
      }),
    );
  });
});

describe('a point in time', () => {
  test.each([
    ['an offset', '2026-12-24T10:00:00+01:00', '2026-12-24T09:00'],
    ['a local time', '2026-12-24T10:00', '2026-12-24T09:00'],
    ['a local time with seconds and a blank', '2026-12-24 10:00:00', '2026-12-24T09:00'],
    ['a local time that is left out', '2026-03-29T02:30', '2026-03-29T01:00'],
    ['a local time that comes twice', '2026-10-25T02:30', '2026-10-25T00:30'],
  ])('with %s comes once', (_, at, expected) => {
    expect(take(`at ${at}`, 'Europe/Berlin', '2026-01-01T00:00:00Z', 2)).toEqual([expected]);
    expect(take(`at ${at}`, 'Europe/Berlin', '2027-01-01T00:00:00Z', 2)).toEqual([]);
  });

  test.each(['tomorrow', '2026-12-24', '2026-02-30T10:00', '2026-12-24T24:00', '24.12.2026 10:00', '10:00', ''])(
    'is not %j',
    (written) => {
      expect(pointInTime(written, 'Europe/Berlin')).toBeUndefined();
    },
  );

  /**
   * Goal: a local time is the point in time at which a clock in that zone shows it.
   * Method: any minute of ten years, as clocks in some zones show it, is read back; where the clock shows it twice, the
   * first one is meant.
   */
  test('A point in time in local time is when clocks in its zone show it', () => {
    const zones = constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu');
    const minute = integer({ min: Date.UTC(2020, 0) / 60_000, max: Date.UTC(2030, 0) / 60_000 });
    assert(
      property(tuple(zones, minute), ([zone, at]) => {
        const shown = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
        const read = pointInTime(shown.format(at * 60_000), zone);
        expect(read === at * 60_000 || (read !== undefined && shown.format(read) === shown.format(at * 60_000))).toBe(
          true,
        );
        expect(read).toBeLessThanOrEqual(at * 60_000);
      }),
    );
  });
});
