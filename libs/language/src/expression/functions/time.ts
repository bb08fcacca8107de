/** Functions on points in time. Zones are IANA names; UTC where none is given. There is no clock. */
import { either } from '../../source/nearest.ts';
import { describeValue } from '../describeValue.ts';
import type { FunctionCall, FunctionSpec } from '../function.ts';
import { number, text } from '../type.ts';
import type { Value } from '../value.ts';
import { Period } from '../value.ts';
import { instantFault, instantOf } from './parseTime.ts';
import { asText } from './scalarText.ts';
import { zonesNear } from './timeZone.ts';
import type { WallClock } from './wallClock.ts';
import { wallClock } from './wallClock.ts';

const when = { name: 'time', kinds: ['timestamp', 'text', 'number'] } as const;
const zone = { name: 'zone', kinds: ['text'], isOptional: true } as const;

/** Computing the parts of an instant takes some microseconds. */
const clockCost = 150;

/** The local time in the zone. */
function clockOf({ e, node, args }: FunctionCall, zoneArgument: Value | undefined): WallClock {
  const [value = null] = args;
  const instant =
    instantOf(value) ??
    e.fail(node, () =>
      typeof value === 'string' ? instantFault(value) : `${describeValue(value)} is no point in time`,
    );
  const zoneName = typeof zoneArgument === 'string' ? zoneArgument : 'UTC';
  e.charge(clockCost);
  const clock = wallClock(instant.ms, zoneName);
  if (clock !== undefined) return clock;
  e.charge(clockCost);
  const near = zonesNear(zoneName)?.map((one) => `"${one}"`) ?? [];
  const hint = near.length === 0 ? undefined : `did you mean ${either(near)}?`;
  return e.fail(node, () => `"${zoneName.slice(0, 40)}" is no IANA time zone`, hint);
}

const part = (name: string, about: string, read: (clock: WallClock) => number): FunctionSpec => ({
  name,
  parameters: [{ name: 'time', kinds: ['timestamp'] }, zone],
  returns: number,
  about,
  run: (call) => BigInt(read(clockOf(call, call.args[1]))),
});

/** CEL also has `getHours` and similar functions for durations, where they return the whole length. */
const partOrWhole = (
  name: string,
  about: string,
  unitMs: number,
  read: (clock: WallClock) => number,
): FunctionSpec => ({
  name,
  parameters: [{ name: 'time', kinds: ['timestamp', 'duration'] }, zone],
  returns: number,
  about,
  run: (call) => {
    const [value] = call.args;
    if (value instanceof Period)
      return BigInt(Math.trunc(value.ms / unitMs) % (unitMs === 1 ? 1_000 : Number.MAX_SAFE_INTEGER));
    return BigInt(read(clockOf(call, call.args[1])));
  },
});

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

const padded = (value: number, width: number): string => String(value).padStart(width, '0');

/** As in `+01:00`, or `Z`. */
const isoOffset = 'X'.repeat(3);

/** Unicode's pattern letters (UTS 35), the common ones. */
const fields: Readonly<Record<string, (clock: WallClock) => string>> = {
  yyyy: ({ year }) => padded(year, 4),
  yy: ({ year }) => padded(year % 100, 2),
  MMMM: ({ month }) => months[month - 1] ?? '',
  MMM: ({ month }) => months[month - 1]?.slice(0, 3) ?? '',
  MM: ({ month }) => padded(month, 2),
  M: ({ month }) => String(month),
  dd: ({ day }) => padded(day, 2),
  d: ({ day }) => String(day),
  EEEE: ({ weekday }) => weekdays[weekday] ?? '',
  EEE: ({ weekday }) => weekdays[weekday]?.slice(0, 3) ?? '',
  HH: ({ hour }) => padded(hour, 2),
  H: ({ hour }) => String(hour),
  hh: ({ hour }) => padded(hour % 12 || 12, 2),
  h: ({ hour }) => String(hour % 12 || 12),
  mm: ({ minute }) => padded(minute, 2),
  ss: ({ second }) => padded(second, 2),
  SSS: ({ millisecond }) => padded(millisecond, 3),
  a: ({ hour }) => (hour < 12 ? 'AM' : 'PM'),
  [isoOffset]: ({ offsetMinutes: offset }) =>
    offset === 0
      ? 'Z'
      : `${offset < 0 ? '-' : '+'}${padded(Math.floor(Math.abs(offset) / 60), 2)}:${padded(Math.abs(offset) % 60, 2)}`,
};

const formatPieces = /'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+|'/g;

function formatTime(call: FunctionCall): Value {
  const { e, node, args } = call;
  const format = asText(args[1]);
  const clock = clockOf(call, args[2]);
  e.chargeText(format.length * 48);
  return format.replace(formatPieces, (piece, literal: string | undefined, letter: string | undefined) => {
    if (literal !== undefined) return literal === '' ? "'" : literal.replaceAll("''", "'");
    if (letter === undefined) return piece;
    const write = Object.hasOwn(fields, piece) ? fields[piece] : undefined;
    return (
      write?.(clock) ?? e.fail(node, () => `"${piece}" means nothing in a time format; put texts into single quotes`)
    );
  });
}

export const timeFunctions: readonly FunctionSpec[] = [
  {
    name: 'formatTime',
    parameters: [when, { name: 'format', kinds: ['text'] }, zone],
    returns: text,
    about: 'The time written as in `"yyyy-MM-dd HH:mm"`; texts between single quotes stand as they are.',
    run: formatTime,
  },
  part('getFullYear', 'The year.', ({ year }) => year),
  part('getMonth', 'The month, from 0.', ({ month }) => month - 1),
  part('getDate', 'The day of the month, from 1.', ({ day }) => day),
  part('getDayOfMonth', 'The day of the month, from 0.', ({ day }) => day - 1),
  part('getDayOfWeek', 'The day of the week, Sunday is 0.', ({ weekday }) => weekday),
  part('getDayOfYear', 'The day of the year, from 0.', ({ year, month, day }) =>
    Math.round((Date.UTC(year, month - 1, day) - Date.UTC(year, 0, 1)) / 86_400_000),
  ),
  partOrWhole('getHours', 'The hour; of a duration, all its hours.', 3_600_000, ({ hour }) => hour),
  partOrWhole('getMinutes', 'The minute; of a duration, all its minutes.', 60_000, ({ minute }) => minute),
  partOrWhole('getSeconds', 'The second; of a duration, all its seconds.', 1_000, ({ second }) => second),
  partOrWhole(
    'getMilliseconds',
    'The millisecond; of a duration, those beyond its seconds.',
    1,
    ({ millisecond }) => millisecond,
  ),
];
