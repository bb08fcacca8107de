import { assert, constantFrom, integer, property } from 'fast-check';
import { describe, expect, test } from 'vitest';

import { compileCondition } from '../condition.ts';
import { isoOffset } from './time.ts';

const evaluate = (source: string, inputs: Readonly<Record<string, unknown>> = {}): unknown =>
  compileCondition(source, '').evaluate({ inputs });

describe('The calendar of a zone', () => {
  test.each([
    // Clocks in Berlin go from 02:00 to 03:00 on 29 March 2026, and from 03:00 to 02:00 on 25 October.
    ['timestamp("2026-03-29T02:30", "Europe/Berlin")', '2026-03-29T01:00:00Z'],
    ['timestamp("2026-10-25 02:30:15.5", "Europe/Berlin")', '2026-10-25T00:30:15.500Z'],
    ['timestamp("2026-12-24", "America/New_York")', '2026-12-24T05:00:00Z'],
    ['timestamp("2026-12-24", "+05:30")', '2026-12-23T18:30:00Z'],
    ['addDays("2026-03-28T08:00:00Z", 1, "Europe/Berlin")', '2026-03-29T07:00:00Z'],
    ['addDays("2026-10-25T01:30:00Z", 0, "Europe/Berlin")', '2026-10-25T01:30:00Z'],
    ['addMonths("2028-02-29T00:00:00Z", 12)', '2029-02-28T00:00:00Z'],
    ['addMonths("2026-03-31T00:00:00Z", -1)', '2026-02-28T00:00:00Z'],
    ['startOf("2026-03-29T12:00:00Z", "day", "Europe/Berlin")', '2026-03-28T23:00:00Z'],
    ['endOf("2026-03-29T12:00:00Z", "day", "Europe/Berlin")', '2026-03-29T21:59:59.999Z'],
    ['startOf("2026-10-25T01:30:00Z", "hour", "Europe/Berlin")', '2026-10-25T01:00:00Z'],
    ['endOf("2026-10-25T00:30:00Z", "hour", "Europe/Berlin")', '2026-10-25T00:59:59.999Z'],
    ['startOf("2026-03-01T12:00:00Z", "week")', '2026-02-23T00:00:00Z'],
    ['endOf("2028-02-10T12:00:00Z", "month")', '2028-02-29T23:59:59.999Z'],
    ['startOf("2026-05-10T12:00:00Z", "quarter")', '2026-04-01T00:00:00Z'],
    ['endOf("2026-05-10T12:00:00Z", "year")', '2026-12-31T23:59:59.999Z'],
    ['parseTime("12/24/2026 6:05 pm", "MM/dd/yyyy h:mm a")', '2026-12-24T18:05:00Z'],
    ['parseTime("24 Dec 2026", "d MMM yyyy", "Asia/Tokyo")', '2026-12-23T15:00:00Z'],
    [`parseTime("00:30 2026-12-24 -05:30", "HH:mm yyyy-MM-dd ${isoOffset}", "Asia/Tokyo")`, '2026-12-24T06:00:00Z'],
    ['parseTime("1/2/2026", "dd/MM/yyyy")', '2026-02-01T00:00:00Z'],
  ])('%s', (source, value) => {
    expect(evaluate(source)).toBe(value);
  });

  test.each([
    ['parseTime("30.02.2026", "dd.MM.yyyy")', 'is no time in the format "dd.MM.yyyy"'],
    ['parseTime("12/24/26", "MM/dd/yyyy")', 'is no time in the format'],
    ['parseTime("Fri 24.12.2026", "EEE dd.MM.yyyy")', 'is no time in the format'],
    ['parseTime("2026-12-24 10:00:00.5", "yyyy-MM-dd HH:mm:ss.SSS")', 'is no time in the format'],
    ['parseTime("24.12.2026x", "dd.MM.yyyy")', 'is no time in the format'],
    ['parseTime("10:00", "HH:mm")', 'it lacks yyyy, MM, dd'],
    ['parseTime("2026-12-24 10:00", "yyyy-MM-dd hh:mm")', '`h` has 12 hours and needs `a`'],
    ['parseTime("2026-12-24", "YYYY-MM-DD")', '"YYYY" means nothing in a time format'],
    ['formatTime("2026-12-24T00:00:00Z", "YYYY")', '"YYYY" means nothing in a time format'],
    ['formatTime("2026-12-24T00:00:00Z", "YYYY-MM-DD")', 'did you mean "yyyy-MM-dd"?'],
    ['formatTime("2026-12-24T00:00:00Z", "dddd, D MMMM YYYY")', 'did you mean "EEEE, d MMMM yyyy"?'],
    ['formatTime("2026-12-24T00:00:00Z", "yyyy-MM-ddTHH:mm:ss")', `did you mean "yyyy-MM-dd'T'HH:mm:ss"?`],
    ['formatTime("2026-12-24T00:00:00Z", "%Y-%m-%d %H:%M")', 'did you mean "yyyy-MM-dd HH:mm"?'],
    ['formatTime("2026-12-24T00:00:00Z", "yyyy week w")', 'put texts into single quotes'],
    ['timestamp("2026-02-30", "Europe/Berlin")', 'is no local time; "2026-12-24" and "2026-12-24T18:00" are'],
    ['timestamp(null, "Europe/Berlin")', 'with a zone, timestamp takes a text such as'],
    ['addDays("2026-12-24T00:00:00Z", 1.5)', 'addDays takes a whole number'],
    ['addMonths("2026-12-24T00:00:00Z", 1000000)', 'the time lies outside the years 1 to 9999'],
    ['addDays("2026-12-24", 1)', 'is no point in time'],
    ['addDays(null, 1)', 'addDays takes a timestamp or a text or a number as its first argument, and here is null'],
    ['startOf("2026-12-24T00:00:00Z", "days")', 'is no unit; hour, day, week, month, quarter, year are'],
    ['startOf("2026-12-24T00:00:00Z", "day", "Europe/Berlinn")', 'is no IANA time zone'],
  ])('says what it cannot do: %s', (source, message) => {
    expect(() => evaluate(source)).toThrow(message);
  });
});

const zones = constantFrom(
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Havana',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Pacific/Apia',
);
const units = constantFrom('hour', 'day', 'week', 'month', 'quarter', 'year');
/** 1980 to 2060, in milliseconds. */
const moments = integer({ min: 315_532_800, max: 2_840_140_800 }).map((seconds) =>
  new Date(seconds * 1_000).toISOString(),
);

/**
 * Goal: a period of the calendar holds every moment in it, and periods follow each other without gaps.
 * Method: random moments from 1980 to 2060 in zones that change their clocks at midnight, by half an hour, by a day.
 */
test('A moment lies between the start and the end of its hour, day, week, month, quarter and year.', () => {
  assert(
    property(moments, units, zones, (at, unit, zone) => {
      const [start, end, next, same] = evaluate(
        `[startOf(inputs.at, inputs.unit, inputs.zone), endOf(inputs.at, inputs.unit, inputs.zone),
          startOf(endOf(inputs.at, inputs.unit, inputs.zone) + duration("1ms"), inputs.unit, inputs.zone),
          startOf(startOf(inputs.at, inputs.unit, inputs.zone), inputs.unit, inputs.zone)].map(t, t - timestamp(inputs.at))
          .map(d, d.getSeconds() * 1000 + d.getMilliseconds())`,
        { at, unit, zone },
      ) as [number, number, number, number];
      expect([start <= 0, end >= 0, next - end, same - start]).toEqual([true, true, 1, 0]);
    }),
    { numRuns: 200 },
  );
});

/**
 * Goal: what `formatTime` writes, `parseTime` reads; and a local time with its zone is the moment.
 * Method: random moments and zones, in formats with and without an offset. Of two equal local times the first is read.
 */
test('A time that is written with its offset is read as the same moment.', () => {
  const formats = constantFrom(
    `yyyy-MM-dd HH:mm:ss.SSS ${isoOffset}`,
    `EEEE, d MMMM yyyy, h:mm:ss a ${isoOffset}`,
    `dd.MM.yy 'at' H:mm:ss ${isoOffset}`,
    `yyyyMMddHHmmss ${isoOffset}`,
  );
  assert(
    property(moments, zones, formats, (at, zone, format) => {
      const again =
        'parseTime(formatTime(inputs.at, inputs.format, inputs.zone), inputs.format) == timestamp(inputs.at)';
      const inZone =
        'cel.bind(local, formatTime(inputs.at, "yyyy-MM-dd HH:mm:ss", inputs.zone), formatTime(timestamp(local, inputs.zone), "yyyy-MM-dd HH:mm:ss", inputs.zone) == local)';
      // Two digits of a year mean 1950 to 2049.
      const isFar = format.includes('yy ') && !format.includes('yyyy') && at > '2050';
      expect(evaluate(`[${again}, ${inZone}]`, { at, zone, format })).toEqual([!isFar, true]);
    }),
    { numRuns: 200 },
  );
});
