/** What an item of a `forEach` is called: its index, and a short form of its value. */
import { type Json, isObject } from '@baton/primitives';

/** Keys by which people know a thing, the best first. */
const nameKeys = ['name', 'title', 'id', 'key', 'path', 'url'] as const;

const charactersMax = 32;

/** `index` alone where the value is not known, or says the same. */
export function itemName(index: string, item: Json | undefined): string {
  const text = item === undefined || item === null ? '' : shortForm(item);
  return text === '' || text === index ? `[${index}]` : `[${index}] ${text}`;
}

function shortForm(item: Exclude<Json, null>): string {
  const named = isObject(item) ? nameKeys.map((key) => item[key]).find(isNaming) : item;
  const text = typeof named === 'object' || named === undefined ? JSON.stringify(item) : String(named);
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length > charactersMax ? `${line.slice(0, charactersMax - 1)}…` : line;
}

const isNaming = (value: Json | undefined): boolean =>
  typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
