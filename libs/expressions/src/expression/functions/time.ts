/** Functions on points in time. Zones are IANA names; UTC where none is given. There is no clock. */
import { either } from '../../source/nearest.ts';
import { describeValue } from '../describeValue.ts';
import type { FunctionCall, FunctionSpec } from '../function.ts';
import type { ExpressionNode } from '../parse.ts';
import { number, text } from '../type.ts';
import { type Value, Period } from '../value.ts';
import { instantFault, instantOf } from './parseTime.ts';
import { asText } from './scalarText.ts';
import { zonesNear } from './timeZone.ts';
import { type WallClock, wallClock } from './wallClock.ts';

export const when = { name: 'time', kinds: ['timestamp', 'text', 'number'] } as const;
export const zone = { name: 'zone', kinds: ['text'], isOptional: true } as const;

/** Computing the parts of an instant takes some microseconds. */
export const clockCost = 150;

/** Epoch milliseconds of a time argument. */
export function instantIn({ e, node }: FunctionCall, value: Value = null): number {
  const instant = instantOf(value);
  if (instant !== undefined) return instant.ms;
  return e.fail(node, () =>
    typeof value === 'string' ? instantFault(value) : `${describeValue(value)} is no point in time`,
  );
}

/** The name of a zone that exists. */
export function zoneIn({ e, node }: FunctionCall, value: Value | undefined): string {
  const name = typeof value === 'string' ? value : 'UTC';
  e.charge(clockCost);
  if (wallClock(0, name) !== undefined) return name;
  e.charge(clockCost);
  const near = zonesNear(name)?.map((one) => `"${one}"`) ?? [];
  const hint = near.length === 0 ? undefined : `did you mean ${either(near)}?`;
  return e.fail(node, () => `"${name.slice(0, 40)}" is no IANA time zone`, hint);
}

/** The local time in the zone. */
function clockOf(call: FunctionCall, zoneArgument: Value | undefined): WallClock {
  const ms = instantIn(call, call.args[0]);
  const name = zoneIn(call, zoneArgument);
  const clock = wallClock(ms, name);
  return clock ?? call.e.fail(call.node, () => 'the time has no local time there');
}

const part = (name: string, about: string, read: (clock: WallClock) => number): FunctionSpec => ({
  name,
  parameters: [when, zone],
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
  parameters: [{ name: 'time', kinds: [...when.kinds, 'duration'] }, zone],
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
export const isoOffset = 'X'.repeat(3);

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

/** `f` of `formatTime(time, f)` and of `time.formatTime(f)`, if it is written out: it is looked at before the run. */
export function literalFormat(node: ExpressionNode): string | undefined {
  const written = node.op === 'rcall' ? node.args[2][0] : undefined;
  const format = node.op === 'call' ? node.args[1][1] : written;
  return format?.op === 'value' && typeof format.args === 'string' ? format.args : undefined;
}

const isPiece = ([piece, literal, letter]: RegExpMatchArray): boolean =>
  literal !== undefined || letter === undefined || Object.hasOwn(fields, piece);

/** What is wrong with a format; undefined: nothing. */
export function formatProblem(format: string): string | undefined {
  const wrong = [...format.matchAll(formatPieces)].find((match) => !isPiece(match));
  if (wrong === undefined) return undefined;
  const meant = meantFormat(format);
  const hint = meant === undefined ? 'put texts into single quotes' : `did you mean "${meant}"?`;
  return `"${wrong[0]}" means nothing in a time format; ${hint}`;
}

/** A format outside of its quoted texts. */
export const lettersOf = (format: string): string => format.replaceAll(/'(?:[^']|'')*'/g, '');

/** Why a format that has a meaning is not meant: minutes beside a day, and no hour. */
function minutesOfDay(format: string): string | undefined {
  const letters = lettersOf(format);
  if (!/m/.test(letters) || !/[yd]/.test(letters) || /[Hh]/.test(letters)) return undefined;
  const meant = format.replace(formatPieces, (piece) => (piece === 'mm' ? 'MM' : piece));
  return `"mm" are minutes, and the format has no hour; did you mean "${meant}"?`;
}

/** The letters of other libraries and, after a percent sign, of `strftime`. */
const foreignFields: Readonly<Record<string, string>> = {
  YYYY: 'yyyy',
  YY: 'yy',
  DD: 'dd',
  D: 'd',
  dddd: 'EEEE',
  ddd: 'EEE',
  A: 'a',
  Z: isoOffset,
  ZZ: isoOffset,
  T: "'T'",
  '%Y': 'yyyy',
  '%y': 'yy',
  '%m': 'MM',
  '%d': 'dd',
  '%H': 'HH',
  '%I': 'hh',
  '%M': 'mm',
  '%S': 'ss',
  '%p': 'a',
  '%A': 'EEEE',
  '%a': 'EEE',
  '%B': 'MMMM',
  '%b': 'MMM',
  '%z': isoOffset,
};

/** Undefined: no format that is known to be meant. */
function meantFormat(format: string): string | undefined {
  if (format.length > meantCharacters) return undefined;
  const meant = format.includes('%')
    ? format.replace(/%[A-Za-z]|T/g, (piece) => foreignFields[piece] ?? piece)
    : format.replace(formatPieces, (piece) => (Object.hasOwn(fields, piece) ? piece : (foreignFields[piece] ?? piece)));
  const isGood = !meant.includes('%') && [...meant.matchAll(formatPieces)].every(isPiece);
  return isGood ? meant : undefined;
}

const meantCharacters = 40;

function formatTime(call: FunctionCall): Value {
  const { e, node, args } = call;
  const format = asText(args[1]);
  const clock = clockOf(call, args[2]);
  e.chargeText(format.length * 48);
  const problem = formatProblem(format);
  if (problem !== undefined) return e.fail(node, () => problem);
  return writeTime(format, clock);
}

/** A format without a problem. */
export const writeTime = (format: string, clock: WallClock): string =>
  format.replace(formatPieces, (piece, literal: string | undefined, letter: string | undefined) => {
    if (literal !== undefined) return literal === '' ? "'" : literal.replaceAll("''", "'");
    return letter === undefined ? piece : (fields[piece]?.(clock) ?? piece);
  });

export const timeFunctions: readonly FunctionSpec[] = [
  {
    name: 'formatTime',
    parameters: [when, { name: 'format', kinds: ['text'] }, zone],
    returns: text,
    about: `Writes a time: \`"yyyy-MM-dd HH:mm:ss.SSS ${isoOffset}"\`, also \`yy\`, \`EEE\`, \`EEEE\`, \`MMM\`, \`MMMM\`, \`M\`, \`d\`, \`H\`, \`h\`, \`a\`; text between single quotes stays as it is. UTC by default.`,
    problem: (node) => {
      const format = literalFormat(node);
      return format === undefined ? undefined : (formatProblem(format) ?? minutesOfDay(format));
    },
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
