/** Values inside an expression: JSON, and what CEL adds to it. */

/** A value that is no map, although JavaScript calls it an object. */
export abstract class SpecialValue {
  /** Distinguishes it from a map. */
  protected readonly isSpecial = true;
}

/** A point in time, to the millisecond. */
export class Instant extends SpecialValue {
  readonly ms: number;

  constructor(ms: number) {
    super();
    this.ms = ms;
  }
}

/** A length of time, to the millisecond. */
export class Period extends SpecialValue {
  readonly ms: number;

  constructor(ms: number) {
    super();
    this.ms = ms;
  }
}

/** The result of `a.?b`: a value, or none. */
export class Maybe extends SpecialValue {
  readonly value: Value | undefined;

  constructor(value: Value | undefined) {
    super();
    this.value = value;
  }
}

export const none = new Maybe(undefined);

/** The result of `type(x)`. */
export class KindValue extends SpecialValue {
  readonly name: string;

  constructor(name: string) {
    super();
    this.name = name;
  }
}

export type ValueMap = { readonly [key: string]: Value };

/** Integers that CEL made are bigint; numbers that came as JSON are number. */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | Instant
  | Period
  | Maybe
  | KindValue
  | readonly Value[]
  | ValueMap;

export type ValueKind =
  | 'null'
  | 'boolean'
  | 'number'
  | 'text'
  | 'bytes'
  | 'list'
  | 'map'
  | 'timestamp'
  | 'duration'
  | 'optional'
  | 'type';

export function kindOfValue(value: Value): ValueKind {
  switch (typeof value) {
    case 'string':
      return 'text';
    case 'number':
    case 'bigint':
      return 'number';
    case 'boolean':
      return 'boolean';
    default:
      return value === null ? 'null' : kindOfObject(value);
  }
}

function kindOfObject(value: Extract<Value, object>): ValueKind {
  if (Array.isArray(value)) return 'list';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Instant) return 'timestamp';
  if (value instanceof Period) return 'duration';
  if (value instanceof Maybe) return 'optional';
  return value instanceof KindValue ? 'type' : 'map';
}

export const isMap = (value: Value): value is ValueMap =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof SpecialValue) &&
  !(value instanceof Uint8Array);

export const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

/** `a text`, `nothing`, … */
export const kindWords: Readonly<Record<ValueKind, string>> = {
  null: 'null',
  boolean: 'true or false',
  number: 'a number',
  text: 'a text',
  bytes: 'bytes',
  list: 'a list',
  map: 'a map',
  timestamp: 'a timestamp',
  duration: 'a duration',
  optional: 'an optional value',
  type: 'a type',
};
