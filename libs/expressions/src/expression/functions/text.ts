/** Functions on texts. */
import { limits } from '../../limits.ts';
import type { Evaluation } from '../evaluation.ts';
import type { FunctionCall, FunctionSpec } from '../function.ts';
import { boolean, list, number, text } from '../type.ts';
import type { Value } from '../value.ts';
import { asText, scalarText } from './scalarText.ts';
import { TextSearch } from './search.ts';

const self = { name: 'text', kinds: ['text'] } as const;
const other = { name: 'part', kinds: ['text'] } as const;
const start = { name: 'start', kinds: ['number'], isOptional: true } as const;

const textAt = (args: readonly Value[], index: number): string => asText(args[index]);

/** A function of one text that reads it once. */
const plain = (name: string, about: string, change: (value: string) => string): FunctionSpec => ({
  name,
  parameters: [self],
  returns: text,
  about,
  run: ({ e, args }) => {
    const value = textAt(args, 0);
    // Some letters become two: ß in capitals is SS.
    e.roomForText(value.length * 2);
    return change(value);
  },
});

const test = (
  name: string,
  about: string,
  holds: (value: string, part: string, e: Evaluation) => boolean,
): FunctionSpec => ({
  name,
  parameters: [self, other],
  returns: boolean,
  about,
  run: ({ e, args }) => {
    e.chargeText(textAt(args, 0).length + textAt(args, 1).length);
    return holds(textAt(args, 0), textAt(args, 1), e);
  },
});

function contains(value: string, part: string, e: Evaluation): boolean {
  const search = new TextSearch(part);
  e.charge(search.costIn(value));
  return search.first(value) >= 0;
}

const search = (
  name: string,
  about: string,
  find: (search: TextSearch, value: string, from?: number) => number,
): FunctionSpec => ({
  name,
  parameters: [self, other, start],
  returns: number,
  about,
  run: ({ e, node, args }) => {
    e.chargeText(textAt(args, 0).length + textAt(args, 1).length);
    const value = textAt(args, 0);
    const from = args[2] === undefined ? undefined : Number(args[2]);
    const length = lengthOf(e, value);
    if (from !== undefined && !(Number.isInteger(from) && from >= 0 && from <= length)) {
      return e.fail(node, () => `${from} lies outside a text of ${length} characters`);
    }
    const search = new TextSearch(textAt(args, 1));
    e.charge(search.costIn(value));
    const found = find(search, value, from === undefined ? undefined : unitAt(e, value, from));
    return BigInt(found < 0 ? found : lengthOf(e, value.slice(0, found)));
  },
});

function substring({ e, node, args }: FunctionCall): Value {
  const value = textAt(args, 0);
  const start = Number(args[1] ?? 0);
  e.chargeText(value.length);
  const length = lengthOf(e, value);
  const end = args[2] === undefined ? length : Number(args[2]);
  const isInside = Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start <= end && end <= length;
  return isInside
    ? value.slice(unitAt(e, value, start), unitAt(e, value, end))
    : e.fail(node, () => `${start} to ${end} lies outside a text of ${length}`);
}

/** Characters are code points, as everywhere in CEL; most texts have one unit for each. */
/** Iterating them one by one is slow. */
const unitsPerCharge = 8;
/** Checking whether any character has two units. */
const unitsPerLook = 100;
const pairs = /[\ud800-\udbff][\udc00-\udfff]/;

function lengthOf(e: Evaluation, value: string): number {
  e.charge(value.length / unitsPerLook);
  if (!pairs.test(value)) return value.length;
  e.charge(value.length / unitsPerCharge);
  let count = 0;
  for (const _ of value) count++;
  return count;
}

/** The UTF-16 unit at which a character begins. */
function unitAt(e: Evaluation, value: string, character: number): number {
  e.charge(value.length / unitsPerLook);
  if (!pairs.test(value)) return character;
  e.charge(character / unitsPerCharge);
  let unit = 0;
  for (let left = character; left > 0 && unit < value.length; left--)
    unit += (value.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1;
  return unit;
}

const isSpace = (unit: number): boolean =>
  (unit >= 9 && unit <= 13) ||
  (unit >= 0x2000 && unit <= 0x200a) ||
  [0x20, 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000].includes(unit);

/** White space is exactly Unicode's. */
function trimmed(value: string): string {
  let [start, end] = [0, value.length];
  while (start < end && isSpace(value.charCodeAt(start))) start++;
  while (end > start && isSpace(value.charCodeAt(end - 1))) end--;
  return value.slice(start, end);
}

/** One more than a list may have, so that the list is refused. */
const partsMax = limits.expression.listItems + 1;

const characters = (value: string): string[] => Array.from(value.slice(0, 2 * partsMax));

/** Parts between separators; an empty separator gives the characters. */
function split({ e, args }: FunctionCall): Value {
  const value = textAt(args, 0);
  const separator = textAt(args, 1);
  const most = args[2] === undefined ? -1 : Number(args[2]);
  e.chargeText(value.length + separator.length);
  const parts = separator === '' ? characters(value) : partsOf(e, value, separator);
  e.charge(parts.length);
  if (most < 0 || parts.length <= most) return e.list(parts);
  return e.list(most === 0 ? [] : [...parts.slice(0, most - 1), parts.slice(most - 1).join(separator)]);
}

function partsOf(e: Evaluation, value: string, separator: string): string[] {
  const search = new TextSearch(separator);
  e.charge(search.costIn(value));
  const parts: string[] = [];
  let from = 0;
  for (let at = search.first(value); at >= 0 && parts.length < partsMax; at = search.first(value, from)) {
    parts.push(value.slice(from, at));
    from = at + separator.length;
  }
  if (parts.length < partsMax) parts.push(value.slice(from));
  return parts;
}

function join({ e, node, args }: FunctionCall): Value {
  const items = args[0] as readonly Value[];
  const separator = textAt(args, 1);
  let length = 0;
  const texts = items.map((item) => {
    e.charge(1);
    const one =
      scalarText(item) ??
      e.fail(node, () => 'join takes texts, numbers and booleans; `json(…)` makes a text of the rest');
    length += one.length + separator.length;
    return one;
  });
  e.roomForText(length);
  return texts.join(separator);
}

function replace({ e, args }: FunctionCall): Value {
  const value = textAt(args, 0);
  const old = textAt(args, 1);
  const fresh = textAt(args, 2);
  const most = args[3] === undefined ? -1 : Number(args[3]);
  e.chargeText(value.length + old.length);
  if (most >= 0 || old !== '') return replaceSome(e, { value, old, fresh, most: most < 0 ? Infinity : most });
  const count = value.length + 1;
  e.roomForText(value.length + count * fresh.length);
  return value.replaceAll(old, () => fresh);
}

interface TextReplacement {
  readonly value: string;
  readonly old: string;
  readonly fresh: string;
  readonly most: number;
}

function replaceSome(e: Evaluation, { value, old, fresh, most }: TextReplacement): string {
  const search = new TextSearch(old);
  e.charge(search.costIn(value));
  const parts: string[] = [];
  let from = 0;
  let size = value.length;
  for (let done = 0; done < most; done++) {
    const at = search.first(value, from + (old === '' && done > 0 ? 1 : 0));
    if (at < 0 || (old === '' && at < from)) break;
    e.charge(1);
    parts.push(value.slice(from, at), fresh);
    size += fresh.length - old.length;
    if (size > limits.expression.textCharacters) e.roomForText(size);
    e.chargeText(fresh.length);
    from = at + old.length;
    if (old === '' && at >= value.length) break;
  }
  parts.push(value.slice(from));
  return parts.join('');
}

export const textFunctions: readonly FunctionSpec[] = [
  plain('lower', 'The text in lower case.', (value) => value.toLowerCase()),
  plain('upper', 'The text in upper case.', (value) => value.toUpperCase()),
  plain('lowerAscii', 'The text with A to Z in lower case; other letters stay.', (value) =>
    value.replaceAll(/[A-Z]+/g, (one) => one.toLowerCase()),
  ),
  plain('upperAscii', 'The text with a to z in upper case; other letters stay.', (value) =>
    value.replaceAll(/[a-z]+/g, (one) => one.toUpperCase()),
  ),
  plain('trim', 'The text without white space at its ends.', trimmed),
  test('startsWith', 'Whether the text begins with the part.', (value, part) => value.startsWith(part)),
  test('endsWith', 'Whether the text ends with the part.', (value, part) => value.endsWith(part)),
  test('contains', 'Whether the text contains the part.', contains),
  search(
    'indexOf',
    'The first place of the part, in characters from 0; -1 if the text does not contain it.',
    (one, value, start) => one.first(value, start),
  ),
  search('lastIndexOf', 'The last place of the part; -1 if the text does not contain it.', (one, value, start) =>
    one.last(value, start),
  ),
  {
    name: 'substring',
    parameters: [self, { name: 'start', kinds: ['number'] }, { name: 'end', kinds: ['number'], isOptional: true }],
    returns: text,
    about: 'The characters from `start` up to, but not including, `end`.',
    run: substring,
  },
  {
    name: 'split',
    parameters: [self, { name: 'separator', kinds: ['text'] }, { name: 'most', kinds: ['number'], isOptional: true }],
    returns: list(text),
    about: 'The parts between the separators; an empty separator splits into characters.',
    run: split,
  },
  {
    name: 'join',
    parameters: [
      { name: 'list', kinds: ['list'] },
      { name: 'separator', kinds: ['text'], isOptional: true },
    ],
    returns: text,
    about: 'The items (texts, numbers, booleans) as one text, with the separator between them.',
    run: join,
  },
  {
    name: 'replace',
    parameters: [
      self,
      { name: 'old', kinds: ['text'] },
      { name: 'new', kinds: ['text'] },
      { name: 'most', kinds: ['number'], isOptional: true },
    ],
    returns: text,
    about: 'Replaces every `old`, or the first `most`.',
    run: replace,
  },
];
