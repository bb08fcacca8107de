/** "Did you mean": finds valid names that are similar to the written one. */
import { distance } from 'fastest-levenshtein';

import { excerpt } from './excerpt.ts';

const distanceMax = 2;
const suggestionsMax = 3;
const prefixMin = 3;
/** Longer names are not compared: they are no typing errors, and comparing them is expensive. */
const charactersMax = 128;

/** At most three of `names`, nearest first: a distance of two at most, or one the beginning of the other. */
export function nearest(written: string, names: Iterable<string>): string[] {
  if (written.length === 0 || written.length > charactersMax) return [];
  const ranked: { name: string; rank: number }[] = [];
  for (const name of new Set(names)) {
    const rank = rankOf(written.toLowerCase(), name.toLowerCase());
    if (name !== written && rank !== undefined) ranked.push({ name, rank });
  }
  return ranked
    .toSorted((a, b) => a.rank - b.rank || (a.name < b.name ? -1 : 1))
    .slice(0, suggestionsMax)
    .map(({ name }) => name);
}

function rankOf(written: string, name: string): number | undefined {
  if (name.length > charactersMax) return undefined;
  if (Math.abs(name.length - written.length) <= distanceMax) {
    const apart = distance(written, name);
    // Two changes turn any short word into any other, unless its letters only changed places.
    const most = Math.min(distanceMax, Math.floor(Math.max(written.length, name.length) / 2));
    if (apart <= most || (apart <= distanceMax && isAnagram(written, name))) return apart;
  }
  const shorter = Math.min(written.length, name.length);
  const isPrefix = shorter >= prefixMin && (name.startsWith(written) || written.startsWith(name));
  return isPrefix ? distanceMax + 1 : undefined;
}

/** At most three of `names` that share the most words with the written one: `read_txt` and `read_text_file`. */
export function sharingWords(written: string, names: readonly string[]): string[] {
  if (written.length > charactersMax) return [];
  const words = new Set(wordsOf(written));
  const shared = (name: string): number => wordsOf(name).filter((word) => words.has(word)).length;
  return names
    .map((name) => ({ name, count: shared(name) }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count)
    .slice(0, suggestionsMax)
    .map(({ name }) => name);
}

const wordsOf = (name: string): string[] =>
  name
    .slice(0, charactersMax)
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length >= prefixMin);

const isAnagram = (a: string, b: string): boolean => sorted(a) === sorted(b);

const sorted = (text: string): string => Array.from(text).toSorted().join('');

/** `did you mean "a" or "b"?`; undefined if no name is similar. `show` writes a name as the author would. */
export function didYouMean(
  written: string,
  names: Iterable<string>,
  show: (name: string) => string = (name) => name,
): string | undefined {
  const near = nearest(written, names).map((name) => `"${excerpt(show(name))}"`);
  return near.length === 0 ? undefined : `did you mean ${either(near)}?`;
}

/** `a`, `a or b`, `a, b or c`. */
export function either(words: readonly string[], conjunction = 'or'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${conjunction} ${words.at(-1)}`;
}
