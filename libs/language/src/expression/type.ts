/**
 * What is known about a value before the run. Types only ever prove that something cannot work: what is not known is
 * `any`, and anything may be done with it.
 */
import type { Json } from '../json.ts';
import type { Kind } from './value.ts';
import { kindWords } from './value.ts';

export interface Field {
  readonly type: Type;
  /** It may be missing. */
  readonly isOptional?: boolean;
}

export type Type =
  | { readonly kind: 'any' }
  | { readonly kind: Exclude<Kind, 'list' | 'map' | 'optional'> }
  | { readonly kind: 'list'; readonly of: Type }
  /** `rest`: the type of keys that are not listed; absent: there are no others. */
  | { readonly kind: 'map'; readonly fields: ReadonlyMap<string, Field>; readonly rest?: Type }
  | { readonly kind: 'optional'; readonly of: Type }
  | { readonly kind: 'union'; readonly of: readonly Type[] };

export const any: Type = { kind: 'any' };
export const text: Type = { kind: 'text' };
export const number: Type = { kind: 'number' };
export const boolean: Type = { kind: 'boolean' };
export const nothing: Type = { kind: 'null' };
export const timestamp: Type = { kind: 'timestamp' };
export const period: Type = { kind: 'duration' };
export const bytes: Type = { kind: 'bytes' };
export const typeName: Type = { kind: 'type' };

export const list = (of: Type): Type => ({ kind: 'list', of });

export const optional = (of: Type): Type => ({ kind: 'optional', of });

/** A map with these keys, and with others of which nothing is known unless `rest` says so. */
export const map = (fields: Readonly<Record<string, Type | Field>>, rest?: Type): Type => ({
  kind: 'map',
  fields: new Map(Object.entries(fields).map(([key, one]) => [key, 'kind' in one ? { type: one } : one])),
  ...(rest === undefined ? {} : { rest }),
});

export const anyMap: Type = map({}, any);

export function union(types: readonly Type[]): Type {
  const flat = types.flatMap((type) => (type.kind === 'union' ? type.of : [type]));
  if (flat.length === 0 || flat.some(({ kind }) => kind === 'any')) return any;
  const different = flat.filter((type, i) => flat.findIndex((one) => isSame(one, type)) === i);
  const [only] = different;
  return different.length === 1 && only !== undefined ? only : { kind: 'union', of: different };
}

const plain = new Set<string>(['text', 'number', 'boolean', 'null', 'timestamp', 'duration', 'bytes', 'type']);

const isSame = (a: Type, b: Type): boolean => a === b || (a.kind === b.kind && plain.has(a.kind));

export const orNull = (type: Type): Type => union([type, nothing]);

/** The alternatives of a type; one where it is none. */
export const alternatives = (type: Type): readonly Type[] => (type.kind === 'union' ? type.of : [type]);

/** Whether a value of the type can be of one of the kinds. */
export const mayBe = (type: Type, kinds: readonly Kind[]): boolean =>
  alternatives(type).some(({ kind }) => kind === 'any' || (kinds as readonly string[]).includes(kind));

export const kindsOf = (type: Type): readonly string[] => [...new Set(alternatives(type).map(({ kind }) => kind))];

/** `a text`, `a list or null`. */
export function describe(type: Type): string {
  const words = kindsOf(type).map((kind) =>
    kind === 'any' ? 'anything' : kind === 'union' ? 'one of several' : kindWords[kind as Kind],
  );
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** The type of a value that is written out. */
export function typeOfValue(value: Json): Type {
  if (value === null) return nothing;
  if (typeof value === 'string') return text;
  if (typeof value === 'number') return number;
  if (typeof value === 'boolean') return boolean;
  if (Array.isArray(value)) return list(union(value.slice(0, 100).map(typeOfValue)));
  return map(Object.fromEntries(Object.entries(value).map(([key, one]) => [key, typeOfValue(one)])));
}
