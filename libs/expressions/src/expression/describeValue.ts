/** Names a value in a failure: its kind, and what a person recognizes it by. */
import { excerpt } from '../source/excerpt.ts';
import { type Value, isList, isMap, kindOfValue, kindWords } from './value.ts';

/** Characters of a text that a failure repeats. */
const textMax = 60;
const keysMax = 8;
const keyMax = 30;

/** `the text "Echo: a,b"`, `a list of 3 items`, `a map with "id", "name"`. */
export function describeValue(value: Value): string {
  if (value === '') return 'an empty text';
  if (typeof value === 'string') return `the text "${excerpt(value, textMax)}"`;
  if (typeof value === 'number' || typeof value === 'bigint') return `the number ${value}`;
  if (typeof value === 'boolean') return String(value);
  if (isList(value)) return value.length === 0 ? 'an empty list' : `a list of ${counted(value.length)}`;
  if (isMap(value)) {
    const keys = Object.keys(value);
    return keys.length === 0 ? 'an empty map' : `a map with ${keyList(keys)}`;
  }
  return kindWords[kindOfValue(value)];
}

const counted = (items: number): string => (items === 1 ? '1 item' : `${items} items`);

/** The first keys of a map, in quotes. */
export function keyList(keys: readonly string[]): string {
  const shown = keys.slice(0, keysMax).map((one) => `"${excerpt(one, keyMax)}"`);
  return shown.join(', ') + (keys.length > keysMax ? ', …' : '');
}
