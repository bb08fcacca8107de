import { assert, constantFrom, date, integer, property, string } from 'fast-check';
import { expect, test } from 'vitest';

import { parseInstant, utcMs } from './instant.ts';

/**
 * Goal: every instant of the years 1 to 9999 is read from each of its spellings.
 * Method: random instants, written by the engine, with an offset added, a space for the T, small letters, more places.
 */
test('An instant is read in UTC and with any offset.', () => {
  const instants = date({
    min: new Date('0001-01-02T00:00:00Z'),
    max: new Date('9999-12-30T00:00:00Z'),
    noInvalidDate: true,
  });
  assert(
    property(instants, integer({ min: -23 * 60, max: 23 * 60 }), constantFrom('T', 't', ' '), (at, minutes, mark) => {
      const pad = (n: number): string => String(n).padStart(2, '0');
      const local = new Date(at.getTime() + minutes * 60_000).toISOString().replace('T', mark).slice(0, -1);
      const size = Math.abs(minutes);
      const offset = `${minutes < 0 ? '-' : '+'}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
      expect(parseInstant(`${local}${offset}`)).toBe(at.getTime());
      expect(parseInstant(`${at.toISOString().slice(0, -1)}999999Z`)).toBe(at.getTime());
    }),
  );
});

/**
 * Goal: no text names a day or a time that does not exist.
 * Method: two digits for each field, beyond what the calendar and the clock have. A text that is read is written by the
 * engine with the same digits.
 */
test('A text whose fields name no day or no time is refused, and never becomes another one.', () => {
  const two = integer({ min: 0, max: 99 }).map((n) => String(n).padStart(2, '0'));
  assert(
    property(integer({ min: 1, max: 9999 }), two, two, two, two, two, (year, ...[month, day, hour, minute, second]) => {
      const text = `${String(year).padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
      const ms = parseInstant(text);
      const isRight = Number(month) <= 12 && Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
      const exists = isRight && utcMs(year, Number(month), Number(day)) !== undefined;
      expect(ms === undefined ? undefined : new Date(ms).toISOString()).toBe(exists ? text : undefined);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  '2026-02-30T10:00:00Z',
  '2026-02-29T10:00:00Z',
  '2026-04-31T10:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T23:59:60Z',
  '2026-01-01T10:00:00+24:00',
  '2026-01-01T10:00:00+01:60',
  '2026-12-24T10:00:00',
  '2026-12-24T10:00Z',
  '2026-12-24',
  '12/24/2026',
  '12',
  'March 7',
  '2027',
  'Thu, 24 Dec 2026 10:00:00 GMT',
  '+002026-12-24T10:00:00Z',
  '2026-12-24T10:00:00Z ',
  `2026-12-24T10:00:00.${'1'.repeat(60)}Z`,
  '',
])('%j is refused.', (text) => {
  expect(parseInstant(text)).toBeUndefined();
});

test('Any other text is refused.', () => {
  assert(
    property(string(), (text) => {
      expect(parseInstant(text)).toBeUndefined();
    }),
  );
});

test('29 February is a day in leap years only.', () => {
  expect([2024, 2000, 2026, 1900].map((year) => utcMs(year, 2, 29) !== undefined)).toEqual([true, true, false, false]);
});
