/** Parses and formats JSON. */
import { readJson } from '@baton/expressions';
import { type Json, type JsonObject, isObject } from '@baton/primitives';

/** The value, or why the text is not JSON. */
export function parseJson(text: string): { readonly value: Json } | { readonly problem: string } {
  const reading = readJson(text, 'The text');
  return 'value' in reading ? reading : { problem: reading.faults[0].message };
}

/** As `parseJson`, of a value that must be a map. */
export function parseMap(text: string): { readonly value: JsonObject } | { readonly problem: string } {
  const parsed = parseJson(text);
  if ('problem' in parsed) return parsed;
  return isObject(parsed.value) ? { value: parsed.value } : { problem: 'A map is expected.' };
}

export const prettyJson = (value: unknown): string => JSON.stringify(value, null, 2) ?? 'null';
