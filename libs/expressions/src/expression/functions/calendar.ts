/**
 * Functions that go by the calendar of a zone: local times, months, weeks. A local time that does not exist is the end
 * of the gap, and one that comes twice is the first, as for schedules. Fields of dates are computed by date-fns, on the
 * digits of the local time.
 */
import { UTCDate } from '@date-fns/utc';
// Its index is 300 modules, each of which reads a map of 200 KB again: a second of CPU.
import { addDays } from 'date-fns/addDays';
import { addHours } from 'date-fns/addHours';
import { addMonths } from 'date-fns/addMonths';
import { addQuarters } from 'date-fns/addQuarters';
import { addYears } from 'date-fns/addYears';
import { getISOWeek } from 'date-fns/getISOWeek';
import { getISOWeekYear } from 'date-fns/getISOWeekYear';
import { parse } from 'date-fns/parse';
import { startOfDay } from 'date-fns/startOfDay';
import { startOfHour } from 'date-fns/startOfHour';
import { startOfISOWeek } from 'date-fns/startOfISOWeek';
import { startOfMonth } from 'date-fns/startOfMonth';
import { startOfQuarter } from 'date-fns/startOfQuarter';
import { startOfYear } from 'date-fns/startOfYear';

import { didYouMean } from '../../source/nearest.ts';
import { describeValue } from '../describeValue.ts';
import type { FunctionCall, FunctionSpec } from '../function.ts';
import { type LocalTime, LocalTimes } from '../localTimes.ts';
import { timestamp } from '../type.ts';
import { type Value, Instant } from '../value.ts';
import { isInstant } from './parseTime.ts';
import { asText } from './scalarText.ts';
import {
  clockCost,
  formatProblem,
  instantIn,
  isoOffset,
  lettersOf,
  literalFormat,
  when,
  writeTime,
  zone,
  zoneIn,
} from './time.ts';
import { wallClock } from './wallClock.ts';

/** Looking up the offsets around a local time takes up to a tenth of a millisecond. */
const resolveCost = 1_000;

/** The point in time of a wall time, as in `LocalTimes`. */
export function instantOfWall({ e, node }: FunctionCall, zoneName: string, wall: number): Instant {
  e.charge(resolveCost);
  const ms = firstOf(new LocalTimes(zoneName).resolve(wall));
  return isInstant(ms) ? new Instant(ms) : e.fail(node, () => 'the time lies outside the years 1 to 9999');
}

function firstOf(time: LocalTime): number {
  if (time.kind === 'once') return time.at;
  return time.kind === 'twice' ? time.first : time.end;
}

/** The digits of the local time, as if they were in UTC. `place`: of the zone among the arguments. */
function wallOf(call: FunctionCall, place: number): { readonly zoneName: string; readonly wall: UTCDate } {
  const ms = instantIn(call, call.args[0]);
  const zoneName = zoneIn(call, call.args[place]);
  call.e.charge(clockCost);
  return { zoneName, wall: new UTCDate(new LocalTimes(zoneName).wallAt(ms)) };
}

/** Adds to a date: the local time stays, and a day beyond the end of a month becomes its last. */
const adding = (name: string, unit: string, add: (wall: UTCDate, count: number) => UTCDate): FunctionSpec => ({
  name,
  parameters: [when, { name: unit, kinds: ['number'] }, zone],
  returns: timestamp,
  about: `The same local time so many ${unit} later; earlier if the number is negative. UTC by default.`,
  run: (call) => {
    const { e, node, args } = call;
    const count = Number(args[1]);
    if (!Number.isSafeInteger(count)) return e.fail(node, () => `${name} takes a whole number`);
    const { zoneName, wall } = wallOf(call, 2);
    const moved = add(wall, count).getTime();
    // It may be the second of two equal local times.
    if (moved === wall.getTime()) return new Instant(instantIn(call, args[0]));
    return Number.isNaN(moved) ? outOfReach(call) : instantOfWall(call, zoneName, moved);
  },
});

const outOfReach = ({ e, node }: FunctionCall): never =>
  e.fail(node, () => 'the time lies outside the years 1 to 9999');

interface CalendarUnit {
  readonly start: (wall: UTCDate) => UTCDate;
  readonly next: (start: UTCDate) => UTCDate;
  /** Shorter than what clocks are put back by: counted from the moment itself, since its local time may come twice. */
  readonly isShort?: true;
}

const units: Readonly<Record<string, CalendarUnit>> = {
  hour: { start: startOfHour, next: (start) => addHours(start, 1), isShort: true },
  day: { start: startOfDay, next: (start) => addDays(start, 1) },
  week: { start: startOfISOWeek, next: (start) => addDays(start, 7) },
  month: { start: startOfMonth, next: (start) => addMonths(start, 1) },
  quarter: { start: startOfQuarter, next: (start) => addQuarters(start, 1) },
  year: { start: startOfYear, next: (start) => addYears(start, 1) },
};

const unitNames = Object.keys(units);

function unitIn({ e, node, args }: FunctionCall): CalendarUnit {
  const name = asText(args[1]);
  const unit = Object.hasOwn(units, name) ? units[name] : undefined;
  return (
    unit ??
    e.fail(node, () => `${describeValue(name)} is no unit; ${unitNames.join(', ')} are`, didYouMean(name, unitNames))
  );
}

const bound = (
  name: string,
  about: string,
  take: (unit: CalendarUnit, start: UTCDate, instantAt: (wall: UTCDate) => Instant) => Value,
): FunctionSpec => ({
  name,
  parameters: [when, { name: 'unit', kinds: ['text'] }, zone],
  returns: timestamp,
  about,
  run: (call) => {
    const unit = unitIn(call);
    const { zoneName, wall } = wallOf(call, 2);
    return take(unit, unit.start(wall), (moved) => {
      if (unit.isShort === undefined) return instantOfWall(call, zoneName, moved.getTime());
      return new Instant(instantIn(call, call.args[0]) + moved.getTime() - wall.getTime());
    });
  },
});

const week = (name: string, about: string, read: (wall: UTCDate) => number): FunctionSpec => ({
  name,
  parameters: [when, zone],
  returns: { kind: 'number', isWhole: true },
  about,
  run: (call) => BigInt(read(wallOf(call, 1).wall)),
});

/** Longer texts are no dates. */
const charactersMax = 200;
const parseCost = 500;

/** The years of two digits are 1950 to 2049. */
const reference = (): UTCDate => new UTCDate(2000, 0, 1);

function parseTime(call: FunctionCall): Value {
  const { e, node, args } = call;
  const [value, format] = [asText(args[0]), asText(args[1])];
  const zoneName = zoneIn(call, args[2]);
  const problem = formatProblem(format) ?? unreadable(format);
  if (problem !== undefined) return e.fail(node, () => problem);
  e.charge(parseCost + format.length * 10);
  const wall = value.length > charactersMax ? Number.NaN : parse(value, format, reference()).getTime();
  const hasOffset = lettersOf(format).includes('X');
  const clock = isInstant(wall) ? wallClock(wall, hasOffset ? offsetIn(value) : 'UTC') : undefined;
  const isRead = clock !== undefined && isSame(value, writeTime(format, clock));
  if (!isRead) return e.fail(node, () => `${describeValue(value)} is no time in the format "${format}"`);
  return hasOffset ? new Instant(wall) : instantOfWall(call, zoneName, wall);
}

/** The offset in a text, such as `+01:00`; otherwise it has a `Z`. */
const offsetIn = (value: string): string => /[+-]\d{2}:\d{2}/.exec(value)?.[0] ?? 'UTC';

/** Holds the library to the format: it takes `26` for `yyyy`, `5` for `SSS`, and any weekday. */
const isSame = (value: string, written: string): boolean => comparable(value) === comparable(written);

/** A day or an hour may be written without its leading zero. */
const comparable = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[+-]00:00/g, 'z')
    .replaceAll(/\d+/g, (digits) => (digits.length === 2 && digits.startsWith('0') ? digits.slice(1) : digits));

/** Why no text can be read by a format. A time without its date would be one of a day that is nowhere written. */
function unreadable(format: string): string | undefined {
  const letters = lettersOf(format);
  if (letters.includes('h') !== letters.includes('a')) {
    return letters.includes('a')
      ? '`a` goes with `h` or `hh`; `HH` has 24 hours'
      : '`h` has 12 hours and needs `a`; `HH` has 24';
  }
  const lacking = Object.entries({ yyyy: /y/, MM: /M/, dd: /d/ }).flatMap(([field, mark]) =>
    mark.test(letters) ? [] : [field],
  );
  return lacking.length === 0 ? undefined : `the format says nothing of the date: it lacks ${lacking.join(', ')}`;
}

export const calendarFunctions: readonly FunctionSpec[] = [
  {
    name: 'parseTime',
    parameters: [{ name: 'text', kinds: ['text'] }, { name: 'format', kinds: ['text'] }, zone],
    returns: timestamp,
    about: `Reads a time in a format of \`formatTime\`. It is local time in the zone (UTC by default), unless the format has the offset, \`${isoOffset}\`.`,
    problem: (node) => {
      const format = literalFormat(node);
      return format === undefined ? undefined : (formatProblem(format) ?? unreadable(format));
    },
    run: parseTime,
  },
  adding('addMonths', 'months', addMonths),
  adding('addDays', 'days', addDays),
  bound(
    'startOf',
    'The first moment of the `"hour"`, `"day"`, `"week"` (from Monday), `"month"`, `"quarter"` or `"year"`. UTC by default.',
    (_, start, instantAt) => instantAt(start),
  ),
  bound(
    'endOf',
    'The last millisecond of the `"hour"`, `"day"`, `"week"`, `"month"`, `"quarter"` or `"year"`. UTC by default.',
    ({ next }, start, instantAt) => new Instant(instantAt(next(start)).ms - 1),
  ),
  week('getIsoWeek', 'The week of the year by ISO 8601, from 1 to 53.', getISOWeek),
  week('getIsoWeekYear', 'The year to which the ISO week belongs.', getISOWeekYear),
];
