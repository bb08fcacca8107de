/** Reads parsed JSON of another system without trusting its form. */
import { childOf } from '@baton/expressions';
import { type Json, type JsonObject, isObject } from '@baton/primitives';

/** Maps every text in a tree of values. */
export function mapTexts(value: Json, pointer: string, map: (text: string, pointer: string) => Json): Json {
  if (typeof value === 'string') return map(value, pointer);
  if (Array.isArray(value)) return value.map((one: Json, i) => mapTexts(one, childOf(pointer, i), map));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, mapTexts(one, childOf(pointer, key), map)]),
  );
}

/** The text, or undefined for another type. */
export const textOf = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined);
/** A text as it is; anything else as JSON. */
export const wordOf = (value: Json | undefined): string =>
  textOf(value) ?? (value === undefined ? '' : JSON.stringify(value));
export const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
export const mapOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
/** The value at the end of a path of keys. */
export const dig = (value: Json | undefined, ...keys: readonly string[]): Json | undefined =>
  keys.reduce<Json | undefined>((at, key) => mapOf(at)[key], value);
