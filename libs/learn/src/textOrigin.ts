/**
 * Finds the origin of a text that no answer contains as it is: a part of one text, several texts joined, or another
 * spelling.
 */
import { interpolated, literal, member, written } from '@baton/expressions';
import { type Json, isObject } from '@baton/primitives';

import type { Place } from './places.ts';
import { longTextMin } from './seenCall.ts';

export interface TextOrigin {
  /** The template that makes the text. */
  readonly template: string;
  readonly used: readonly Place[];
}

const scalarText = (value: Json): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

/** Finds an earlier value that the text spells differently. */
export function spelledDifferently(text: string, places: readonly Place[]): TextOrigin | undefined {
  for (const place of places.toReversed()) {
    const way = wayTo(text, place);
    if (way !== undefined) return { template: interpolated(way), used: [place] };
  }
  return undefined;
}

function wayTo(text: string, { value, expression }: Place): string | undefined {
  if (typeof value === 'number') return String(value) === text && text.length > 1 ? `string(${expression})` : undefined;
  if (typeof value !== 'string') {
    if (typeof value !== 'object' || value === null || text.length < 4) return undefined;
    if (/^[[{]/.test(text) && JSON.stringify(value) === text) return `json(${expression})`;
    return joinedList(text, value, expression);
  }
  if (value.length < 3 || value.length < text.length) return undefined;
  if (value.length > text.length) return isTrimmed(value, text) ? `${expression}.trim()` : undefined;
  if (value.toLowerCase() === text) return `${expression}.lower()`;
  if (value.toUpperCase() === text) return `${expression}.upper()`;
  for (const [from, to] of [
    [' ', '-'],
    [' ', '_'],
    ['-', '_'],
    ['_', ' '],
  ] as const) {
    if (!value.includes(from)) continue;
    const changed = `.replace(${literal(from)}, ${literal(to)})`;
    if (value.replaceAll(from, to) === text) return `${expression}${changed}`;
    if (value.toLowerCase().replaceAll(from, to) === text) return `${expression}.lower()${changed}`;
  }
  return undefined;
}

const isTrimmed = (value: string, text: string): boolean => value.includes(text) && value.trim() === text;

const separators = ['\n', ', ', ',', ' ', '; ', '\n- '];

function joinedList(text: string, value: Json, expression: string): string | undefined {
  if (!Array.isArray(value) || value.length < 2) return undefined;
  const items = value as readonly Json[];
  const own = separatorOf(items, text);
  if (own !== undefined) return `${expression}.join(${literal(own)})`;
  const [first] = items;
  for (const key of isObject(first) ? Object.keys(first) : []) {
    const separator = separatorOf(
      items.map((item) => (isObject(item) ? (item[key] ?? null) : null)),
      text,
    );
    if (separator !== undefined) return `${expression}.map(x, ${member('x', key)}).join(${literal(separator)})`;
  }
  return undefined;
}

function separatorOf(items: readonly Json[], text: string): string | undefined {
  const [first = null] = items;
  if (!text.startsWith(scalarText(first) ?? text)) return undefined;
  const texts = items.map(scalarText);
  return texts.some((one) => one === undefined) ? undefined : separators.find((one) => texts.join(one) === text);
}

const partMin = 3;
const wordy = /[\p{L}\p{N}]/u;

/** Finds a longer text that contains this one, and cuts it out by the label before it in its line. */
export function containedIn(text: string, places: readonly Place[]): TextOrigin | undefined {
  if (text.trim() !== text || text.length < partMin) return undefined;
  for (let at = places.length - 1; at >= 0; at -= 1) {
    const place = places[at];
    if (place === undefined) continue;
    const { value, expression } = place;
    if (typeof value !== 'string' || value.length <= text.length) continue;
    const way = partOf(value, text, expression);
    if (place !== undefined && way !== undefined) return { template: interpolated(way), used: [place] };
  }
  return undefined;
}

function partOf(whole: string, part: string, expression: string): string | undefined {
  for (let at = whole.indexOf(part); at >= 0; at = whole.indexOf(part, at + 1)) {
    const end = at + part.length;
    if (isWord(whole[at - 1], part[0]) || isWord(part.at(-1), whole[end])) continue;
    const way = betweenLabels(whole, at, end, expression);
    if (way !== undefined) return way;
  }
  return undefined;
}

const isWord = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && wordy.test(a) && wordy.test(b);

const labelMax = 40;

function betweenLabels(whole: string, at: number, end: number, expression: string): string | undefined {
  const part = whole.slice(at, end);
  const lineStart = whole.lastIndexOf('\n', at - 1) + 1;
  const before = whole.slice(lineStart, at);
  const after = whole.slice(end);
  const stops = after === '' ? [''] : [after.startsWith('\n') ? '\n' : after.slice(0, 1), after.slice(0, 2), '\n'];
  for (const label of labelsIn(before)) {
    if (whole.split(label).length !== 2) continue;
    const rest = whole.split(label)[1] ?? '';
    for (const stop of stops) {
      if (stop === '' ? rest !== part : rest.split(stop)[0] !== part) continue;
      const cut = stop === '' ? '' : `.split(${literal(stop)})[0]`;
      return `${expression}.split(${literal(label)})[1]${cut}`;
    }
  }
  // The first line, or the first word of it.
  const stop = stops.find((one) => at === 0 && one !== '' && whole.split(one)[0] === part);
  return stop === undefined ? undefined : `${expression}.split(${literal(stop)})[0]`;
}

/** Labels before a value: the last words before it, without text that is likely to change from run to run. */
function labelsIn(before: string): readonly string[] {
  const shown = before.slice(-labelMax);
  const starts = [...shown.matchAll(/(?<=^|[\s([{"'=>])(?=\S)/gu)].map(({ index }) => index);
  const labels = [...starts.toReversed(), 0].map((from) => shown.slice(from));
  return labels.filter((label) => label.trim().length >= 2 && !/\d|\$\{\{/.test(label) && !label.includes('}'));
}

/** A known text that a longer one may contain. */
interface KnownText {
  readonly place: Place;
  readonly own: string;
  /** The expression that makes this text of the place's value. */
  readonly expression: string;
}

interface Part extends KnownText {
  readonly from: number;
  readonly to: number;
}

/** An origin of several known texts with literal words between them. */
export interface JoinedText extends TextOrigin {
  /** Whether the known texts make up at least half of the characters. */
  readonly isMostlyKnown: boolean;
  /** Words between them that look like values of the session: numbers, names, and words that an answer has. */
  readonly fixed: readonly string[];
}

/** Asks a person: the number of the option. */
type Choose = (what: string, options: readonly string[]) => number;

/** Finds several known texts in the text; the words between them stay literal. */
export function joined(text: string, places: readonly Place[], choose: Choose): JoinedText | undefined {
  const parts = partsOf(
    text,
    places.flatMap((place) => knownIn(text, place) ?? []),
    [],
  );
  // A short value counts beside another one of the same object; alone, a name counts, and a person is asked.
  const objects = new Set(parts.map(({ place }) => objectOf(place)));
  parts.push(
    ...partsOf(
      text,
      shortIn(text, places, (place) => objects.has(objectOf(place))),
      parts,
    ),
  );
  for (const part of partsOf(text, shortIn(text, places, isName), parts)) {
    const word = `the word ${JSON.stringify(part.own)}`;
    // What several answers have may be a word by chance.
    const isOneOfMany = places.filter(({ value }) => value === part.place.value).length > 1;
    const options = isOneOfMany ? [word, part.expression] : [part.expression, word];
    const chosen = options[choose(`where ${JSON.stringify(part.own)} comes from`, options)];
    if (chosen === part.expression) parts.push(part);
  }
  if (parts.length === 0) return undefined;
  parts.sort((a, b) => a.from - b.from);
  let template = '';
  let from = 0;
  const between: string[] = [];
  for (const part of parts) {
    between.push(text.slice(from, part.from));
    template += written(text.slice(from, part.from)) + interpolated(part.expression);
    from = part.to;
  }
  between.push(text.slice(from));
  const known = parts.reduce((sum, { own }) => sum + own.length, 0);
  return {
    template: template + written(text.slice(from)),
    used: parts.map(({ place }) => place),
    isMostlyKnown: known * 2 >= text.length,
    fixed: /\s/.test(text) ? fixedIn(between, places) : [],
  };
}

/** Where the known texts are, the longest first, beside the parts that are there already. */
function partsOf(text: string, known: readonly KnownText[], taken: readonly Part[]): Part[] {
  const parts: Part[] = [];
  const candidates = known.toSorted(
    (a, b) => b.own.length - a.own.length || b.place.order - a.place.order || a.place.depth - b.place.depth,
  );
  for (const one of candidates) {
    const { own } = one;
    for (let at = text.indexOf(own); at >= 0; at = text.indexOf(own, at + 1)) {
      const to = at + own.length;
      if (isWord(text[at - 1], own[0]) || isWord(own.at(-1), text[to])) continue;
      if ([...taken, ...parts].some((part) => at < part.to && to > part.from)) continue;
      parts.push({ ...one, from: at, to });
    }
  }
  return parts;
}

/** The expression of the object, or the list, that has the value as a member. */
const objectOf = ({ expression, step }: Place): string =>
  `${step ?? ''} ${expression.replace(/(?:\.[\w]+|\[(?:\d+|"(?:[^"\\]|\\.)*")\])$/, '')}`;

/** Values too short to count by themselves, which the text has as words. */
function shortIn(text: string, places: readonly Place[], counts: (place: Place) => boolean): readonly KnownText[] {
  return places.flatMap((place): KnownText[] => {
    const own = scalarText(place.value);
    const isShort = own !== undefined && wordy.test(own) && own.length < 40 && own !== text && text.includes(own);
    return isShort && counts(place) ? [{ place, own, expression: place.expression }] : [];
  });
}

/** Names that people, and things, go by, and short ids. */
const nameKey = /(?:name|title|login|user|author|owner|customer|member|person|city|country|company|team|project)$/i;

const isName = ({ value, key, step, order }: Place): boolean =>
  (step !== undefined || order === Infinity) &&
  typeof value === 'string' &&
  value.length >= 2 &&
  (nameKey.test(key) || /^\p{Lu}[\p{L}'-]+$/u.test(value) || /^(?=.*\p{L})(?=.*\p{N})[\w-]+$/u.test(value));

/** Numbers, names within a sentence, and words of answers. */
function fixedIn(between: readonly string[], places: readonly Place[]): readonly string[] {
  const known = new Set(
    places.flatMap(({ value, step }) => (step !== undefined && typeof value === 'string' ? [value.toLowerCase()] : [])),
  );
  const words = between.flatMap((text, i) =>
    [...text.matchAll(/[\p{L}\p{N}][\p{L}\p{N}.,'’@/-]*[\p{L}\p{N}]|\p{N}/gu)].map(({ 0: word, index }) => ({
      word,
      // The first word of a sentence begins with a capital letter anyway.
      isFirst: /(?:^|[.!?:\n])\s*$/.test(text.slice(0, index)) && (i === 0 || index > 0),
    })),
  );
  const isData = ({ word, isFirst }: { word: string; isFirst: boolean }): boolean =>
    /\p{N}/u.test(word) || (!isFirst && /^\p{Lu}\p{Ll}/u.test(word)) || known.has(word.toLowerCase());
  return [...new Set(words.filter(isData).map(({ word }) => word))];
}

/** Matches the value itself, or without the line end that answers often have. */
function knownIn(text: string, place: Place): KnownText | undefined {
  const whole = scalarText(place.value);
  if (whole === undefined || whole === text) return undefined;
  const { expression } = place;
  if (text.includes(whole))
    return isTelling(whole) || isLongNumber(place.value) ? { place, own: whole, expression } : undefined;
  const own = whole.trim();
  const isKnown = own.length >= longTextMin && own !== text && text.includes(own);
  return isKnown ? { place, own, expression: `${expression}.trim()` } : undefined;
}

const isLongNumber = (value: Json): boolean => typeof value === 'number' && String(value).length >= 2;

/** Whether the text is specific enough: common words explain nothing. */
const isTelling = (text: string): boolean =>
  wordy.test(text) &&
  (text.trim() === text
    ? text.length >= 4 || (text.length >= partMin && /[\d_/.-]/.test(text))
    : text.trim().length >= longTextMin);
