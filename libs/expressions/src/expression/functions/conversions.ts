/** CEL's own conversions, and `size`. */
import { isDecimalKept, parseInstant } from '@baton/primitives';

import { missingHint } from '../access.ts';
import { describeValue } from '../describeValue.ts';
import type { FunctionCall, FunctionSpec } from '../function.ts';
import { any, boolean, bytes, number, period, text, timestamp, typeName } from '../type.ts';
import { type Value, Instant, isList, isMap, KindValue, kindOfValue, Maybe } from '../value.ts';
import { instantOfWall } from './calendar.ts';
import { isExactNumber } from './decimal.ts';
import { durationOf, instantFault, instantOf } from './parseTime.ts';
import { scalarText } from './scalarText.ts';
import { zone, zoneIn } from './time.ts';

const input = { name: 'value' } as const;

/** Fails with a message that names the conversion and the value. */
const cannot = ({ e, node, args }: FunctionCall, wanted: string, hint?: string): never =>
  e.fail(node, () => `${describeValue(args[0] ?? null)} cannot be read as ${wanted}`, hint);

/** `pattern`: texts that the conversion can read. */
const testedFirst = (conversion: string, pattern: string): string =>
  `where it may be another text, test it first: \`x.matches("${pattern}") ? ${conversion}(x) : 0\``;

const integerHint = testedFirst('int', '^-?[0-9]+$');
const numberHint = testedFirst('double', '^-?[0-9]+([.][0-9]+)?$');

function size(call: FunctionCall): Value {
  const [value = null] = call.args;
  if (typeof value === 'string') {
    call.e.charge(value.length / 8);
    // Code points, as CEL counts.
    let count = 0;
    for (const _ of value) count++;
    return BigInt(count);
  }
  if (isList(value) || value instanceof Uint8Array) return BigInt(value.length);
  return isMap(value) ? BigInt(call.e.keysOf(value).length) : cannot(call, 'something that has a size');
}

function toInt(call: FunctionCall): Value {
  const [value = null] = call.args;
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isSafeInteger(Math.trunc(value))) return BigInt(Math.trunc(value));
  if (typeof value === 'string' && /^[+-]?\d{1,19}$/.test(value)) {
    const read = BigInt(value.replace('+', ''));
    if (BigInt.asIntN(64, read) === read) return read;
  }
  return value instanceof Instant
    ? BigInt(Math.floor(value.ms / 1_000))
    : cannot(call, 'an integer, such as "42"', integerHint);
}

function toDouble(call: FunctionCall): Value {
  const [value = null] = call.args;
  if (typeof value === 'number') return value;
  if (typeof value !== 'bigint' && !isNumeral(value)) return cannot(call, 'a number, such as "4.2"', numberHint);
  const read = Number(value);
  const isKept = typeof value === 'bigint' ? isExactNumber(value) : Number.isFinite(read) && isKeptText(value);
  return isKept ? read : cannot(call, 'a number without losing digits; `string(…)` keeps it as a text');
}

/** Whether the number keeps the digits before the point. */
const isKeptText = (text: string): boolean =>
  /^[+-]?\d+$/.test(text) ? isExactNumber(BigInt(text.replace('+', ''))) : isDecimalKept(text);

const isNumeral = (value: Value): value is string =>
  typeof value === 'string' && /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/.test(value.slice(0, 400));

function toText(call: FunctionCall): Value {
  const [value = null] = call.args;
  if (value instanceof Uint8Array) {
    call.e.roomForText(value.length);
    return decoded(value) ?? cannot(call, 'a text, for they are no UTF-8');
  }
  return scalarText(value) ?? cannot(call, 'a text; `json(…)` makes one of a list or a map');
}

/** Undefined where the bytes are no UTF-8. */
function decoded(value: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** The texts that CEL accepts. */
const yes = new Set<Value>(['true', 'True', 'TRUE', 't', '1']);
const no = new Set<Value>(['false', 'False', 'FALSE', 'f', '0']);

function toBoolean(call: FunctionCall): Value {
  const [value = null] = call.args;
  if (typeof value === 'boolean') return value;
  if (yes.has(value) || no.has(value)) return yes.has(value);
  return cannot(call, 'true or false; "true", "false", "1" and "0" can');
}

function toBytes(call: FunctionCall): Value {
  const [value = null] = call.args;
  if (value instanceof Uint8Array) return value;
  if (typeof value !== 'string') return cannot(call, 'bytes');
  call.e.roomForText(value.length * 3);
  return new TextEncoder().encode(value);
}

/** Patterns read times character by character. */
const timeCost = 10;

function toTimestamp(call: FunctionCall): Value {
  const [value = null] = call.args;
  call.e.charge(timeCost);
  if (call.args.length > 1) return localTime(call);
  const instant = instantOf(value);
  if (instant !== undefined) return instant;
  if (typeof value === 'string') return call.e.fail(call.node, () => instantFault(value));
  return cannot(call, 'a timestamp; RFC 3339 texts and seconds since 1970 can');
}

/** `2026-12-24`, `2026-12-24T18:00`, `2026-12-24 18:00:30.5`: a time on the clocks of the zone. */
const local = /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?)?$/;

function localTime(call: FunctionCall): Value {
  const { e, node, args } = call;
  const [value = null] = args;
  const zone = zoneIn(call, args[1]);
  if (typeof value !== 'string')
    return e.fail(node, () => 'with a zone, timestamp takes a text such as "2026-12-24T18:00"');
  const [, date, clock = '00:00', seconds = ':00'] = local.exec(value.slice(0, 64)) ?? [];
  const wall = date === undefined ? undefined : parseInstant(`${date}T${clock}${seconds}Z`);
  if (wall !== undefined) return instantOfWall(call, zone, wall);
  const hasOffset = /(?:z|[+-]\d{2}:?\d{2})$/i.test(value);
  const hint = hasOffset ? 'it has its offset from UTC: leave the zone out' : undefined;
  return e.fail(node, () => `${describeValue(value)} is no local time; "2026-12-24" and "2026-12-24T18:00" are`, hint);
}

function toDuration(call: FunctionCall): Value {
  const [value = null] = call.args;
  call.e.charge(timeCost);
  return durationOf(value) ?? cannot(call, 'a duration; "90s", "1h30m" and "2d" can');
}

/** CEL's names for the kinds. */
const celName = (value: Value): string => {
  if (typeof value === 'bigint') return 'int';
  const names: Readonly<Record<string, string>> = {
    null: 'null_type',
    boolean: 'bool',
    number: 'double',
    text: 'string',
  };
  const kind = kindOfValue(value);
  return names[kind] ?? kind;
};

/** `type(x) == string`: names of types that stand for themselves. */
export const typeNames: readonly string[] = [
  'string',
  'bool',
  'int',
  'double',
  'bytes',
  'list',
  'map',
  'null_type',
  'type',
  'timestamp',
  'duration',
];

export const conversionFunctions: readonly FunctionSpec[] = [
  {
    name: 'size',
    parameters: [{ name: 'value', kinds: ['text', 'list', 'map', 'bytes'] }],
    returns: number,
    about: 'The number of characters of a text, items of a list, keys of a map.',
    run: size,
  },
  { name: 'int', parameters: [input], returns: number, about: 'The value as an integer, towards zero.', run: toInt },
  { name: 'double', parameters: [input], returns: number, about: 'The value as a number.', run: toDouble },
  { name: 'string', parameters: [input], returns: text, about: 'The value as a text.', run: toText },
  { name: 'bool', parameters: [input], returns: boolean, about: '"true" and "false" as booleans.', run: toBoolean },
  { name: 'bytes', parameters: [input], returns: bytes, about: 'The text as UTF-8.', run: toBytes },
  {
    name: 'timestamp',
    parameters: [input, zone],
    returns: timestamp,
    about: 'Reads an RFC 3339 text, or seconds since 1970; with a zone, a local time without offset.',
    run: toTimestamp,
  },
  {
    name: 'duration',
    parameters: [input],
    returns: period,
    about: '"90s", "1h30m" or "2d" as a length of time, to be added to timestamps.',
    run: toDuration,
  },
  { name: 'dyn', parameters: [input], returns: any, about: 'The value itself.', run: ({ args }) => args[0] ?? null },
  {
    name: 'type',
    parameters: [input],
    returns: typeName,
    about: 'The type, to be compared with `string`, `list`, `map`, …',
    run: ({ args }) => new KindValue(celName(args[0] ?? null)),
  },
  {
    name: 'hasValue',
    parameters: [{ name: 'optional', kinds: ['optional'] }],
    returns: boolean,
    about: 'Whether an optional access found something.',
    run: ({ args }) => args[0] instanceof Maybe && args[0].value !== undefined,
  },
  {
    name: 'value',
    parameters: [{ name: 'optional', kinds: ['optional'] }],
    returns: ([first]) => (first?.kind === 'optional' ? first.of : any),
    about: 'What an optional access found. Fails if it found nothing.',
    run: ({ e, node, args }) =>
      (args[0] instanceof Maybe ? args[0].value : undefined) ??
      e.fail(node, () => 'the optional value is not there', missingHint),
  },
];
