/**
 * What is known about a value before the run. Types only prove that something cannot work: an unknown type is `any`,
 * which allows everything.
 */
import type { Json } from '@baton/primitives';

import { type ValueKind, kindWords } from './value.ts';

export interface Field {
  readonly type: Type;
  /** It may be missing. */
  readonly isOptional?: boolean;
}

interface PlainType {
  readonly kind: Exclude<ValueKind, 'list' | 'map' | 'optional'>;
  /** All possible values, if they are known. */
  readonly values?: readonly Json[];
  /** Of a number: it has no fraction. */
  readonly isWhole?: boolean;
}

interface MapType {
  readonly kind: 'map';
  readonly fields: ReadonlyMap<string, Field>;
  /** The type of keys that are not listed; absent: there are no others. */
  readonly rest?: Type;
  /** A schema lists the fields, and does not forbid others. */
  readonly isOpen?: boolean;
  /** A schema lists the fields, and does not say that the value is a map. */
  readonly isAssumed?: boolean;
}

interface AnyType {
  readonly kind: 'any';
  /** Null is one of its values for certain, as of a step that may be skipped. */
  readonly isNullable?: true;
  /** Of a tool that has changed: nothing proves that the value is one that it had before. */
  readonly isChanged?: true;
}

export type Type =
  | AnyType
  | PlainType
  | { readonly kind: 'list'; readonly of: Type }
  | MapType
  | { readonly kind: 'optional'; readonly of: Type }
  | { readonly kind: 'union'; readonly of: readonly Type[] };

export const any: Type = { kind: 'any' };
export const text: Type = { kind: 'text' };
export const number: Type = { kind: 'number' };
export const integer: Type = { kind: 'number', isWhole: true };
export const boolean: Type = { kind: 'boolean' };
export const nothing: Type = { kind: 'null' };
export const timestamp: Type = { kind: 'timestamp' };
export const period: Type = { kind: 'duration' };
export const bytes: Type = { kind: 'bytes' };
export const typeName: Type = { kind: 'type' };

export const list = (of: Type): Type => ({ kind: 'list', of });

export const optional = (of: Type): Type => ({ kind: 'optional', of });

/** A map with these keys, and with others of which nothing is known unless `rest` says so. */
export const map = (fields: Readonly<Record<string, Type | Field>>, rest?: Type): MapType => ({
  kind: 'map',
  fields: new Map(Object.entries(fields).map(([key, one]) => [key, 'kind' in one ? { type: one } : one])),
  ...(rest === undefined ? {} : { rest }),
});

/** Of a schema that lists these fields, and neither allows nor forbids others. */
export const openMap = (fields: Readonly<Record<string, Field>>): MapType => ({
  kind: 'map',
  fields: new Map(Object.entries(fields)),
  rest: any,
  isOpen: true,
});

export const anyMap: Type = map({}, any);

export function union(types: readonly Type[]): Type {
  const flat = types.flatMap((type) => (type.kind === 'union' ? type.of : [type]));
  if (flat.length === 0 || flat.some(({ kind }) => kind === 'any')) return anyOf(flat);
  const different: Type[] = [];
  for (const type of new Set(flat)) {
    const at = isPlain(type) ? different.findIndex(({ kind }) => kind === type.kind) : -1;
    const alike = different[at];
    if (isPlain(type) && alike !== undefined && isPlain(alike)) different[at] = merged(alike, type);
    else different.push(type);
  }
  const [only] = different;
  return different.length === 1 && only !== undefined ? only : { kind: 'union', of: different };
}

/** What is known of any value that is one of these. */
function anyOf(of: readonly Type[]): Type {
  const isNullable = of.some((one) => one.kind === 'any' && one.isNullable);
  const isChanged = of.some(holdsChanged);
  if (!isNullable && !isChanged) return any;
  return { kind: 'any', ...(isNullable ? { isNullable } : {}), ...(isChanged ? { isChanged } : {}) };
}

/** Whether the value, or one inside it, is not sure to be one that the tool gave before it changed. */
export function holdsChanged(type: Type): boolean {
  switch (type.kind) {
    case 'any':
      return type.isChanged === true;
    case 'list':
    case 'optional':
      return holdsChanged(type.of);
    case 'union':
      return type.of.some(holdsChanged);
    case 'map':
      return (
        (type.rest !== undefined && holdsChanged(type.rest)) ||
        type.fields.values().some((field) => holdsChanged(field.type))
      );
    default:
      return false;
  }
}

const compound = new Set<string>(['any', 'list', 'map', 'optional', 'union']);

const isPlain = (type: Type): type is PlainType => !compound.has(type.kind);

/** A type with more alternatives than this becomes `any`. */
const valuesMax = 64;

function merged(a: PlainType, b: PlainType): PlainType {
  if (a === b) return a;
  const values = a.values && b.values && [...new Set([...a.values, ...b.values])];
  return {
    kind: a.kind,
    ...(values === undefined || values.length > valuesMax ? {} : { values }),
    ...(a.isWhole === true && b.isWhole === true ? { isWhole: true } : {}),
  };
}

/** All possible values; undefined if they are unknown or too many. */
export function valuesOf(type: Type): readonly Json[] | undefined {
  const each = alternatives(type).map((one) => {
    if (one.kind === 'null') return [null];
    return isPlain(one) ? one.values : undefined;
  });
  return each.every((values) => values !== undefined) ? each.flat() : undefined;
}

/** The type of a value that stands alone: none becomes null. */
export const settled = (type: Type): Type =>
  mayBe(type, ['optional'])
    ? union(alternatives(type).flatMap((one) => (one.kind === 'optional' ? [settled(one.of), nothing] : [one])))
    : type;

/** The type of the value of a key, which is left out if it is none. */
export const fieldOf = (type: Type): Type | Field =>
  type.kind !== 'any' && mayBe(type, ['optional'])
    ? { type: union(alternatives(type).map((one) => (one.kind === 'optional' ? one.of : one))), isOptional: true }
    : type;

export const orNull = (type: Type): Type =>
  type.kind === 'any' ? { ...type, isNullable: true } : union([type, nothing]);

/** Whether null is one of several values. */
export const mayBeNull = (type: Type): boolean =>
  type.kind === 'any' ? type.isNullable === true : type.kind === 'union' && mayBe(type, ['null']);

/** The type of a value that was found not to be null; a type that is nothing else stays. */
export function notNull(type: Type): Type {
  if (type.kind === 'any') return type.isChanged === true ? { kind: 'any', isChanged: true } : any;
  if (type.kind !== 'union') return type;
  const others = type.of.filter(({ kind }) => kind !== 'null');
  return others.length === type.of.length ? type : union(others);
}

/** The alternatives of a type; one where it is none. */
export const alternatives = (type: Type): readonly Type[] => (type.kind === 'union' ? type.of : [type]);

/** Whether a value of the type can be of one of the kinds. */
export const mayBe = (type: Type, kinds: readonly ValueKind[]): boolean =>
  alternatives(type).some(({ kind }) => kind === 'any' || (kinds as readonly string[]).includes(kind));

export const kindsOf = (type: Type): readonly string[] => [...new Set(alternatives(type).map(({ kind }) => kind))];

const typeWords: Readonly<Record<string, string>> = { ...kindWords, any: 'anything', union: 'one of several' };

/** `a text`, `a list or null`. */
export function describe(type: Type): string {
  const words = kindsOf(type).map((kind) => typeWords[kind] ?? kind);
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** The fields of a map that may be of these kinds: probably one of them was meant. */
export const fieldsThatMayBe = (type: Type, kinds: readonly ValueKind[]): string[] =>
  alternatives(type).flatMap((one) =>
    one.kind === 'map' ? [...one.fields].filter(([, field]) => mayBe(field.type, kinds)).map(([key]) => key) : [],
  );

const valueCharacters = 256;

/** The type of a literal value. */
export function typeOfValue(value: Json): Type {
  if (value === null) return nothing;
  if (typeof value === 'string') return value.length > valueCharacters ? text : { kind: 'text', values: [value] };
  if (typeof value === 'number') return { kind: 'number', values: [value], isWhole: Number.isInteger(value) };
  if (typeof value === 'boolean') return { kind: 'boolean', values: [value] };
  if (Array.isArray(value)) return list(union(value.slice(0, 100).map(typeOfValue)));
  return map(Object.fromEntries(Object.entries(value).map(([key, one]) => [key, typeOfValue(one)])));
}
