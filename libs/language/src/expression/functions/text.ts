/** Functions on texts. */
import { limits } from '../../limits.ts';
import type { Call, FunctionSpec } from '../function.ts';
import { boolean, list, number, text } from '../type.ts';
import type { Value } from '../value.ts';
import { asText, scalarText } from './scalarText.ts';

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

const test = (name: string, about: string, holds: (value: string, part: string) => boolean): FunctionSpec => ({
  name,
  parameters: [self, other],
  returns: boolean,
  about,
  run: ({ e, args }) => {
    e.chargeText(textAt(args, 0).length + textAt(args, 1).length);
    return holds(textAt(args, 0), textAt(args, 1));
  },
});

const search = (
  name: string,
  about: string,
  find: (value: string, part: string, from?: number) => number,
): FunctionSpec => ({
  name,
  parameters: [self, other, start],
  returns: number,
  about,
  run: ({ e, args }) => {
    e.chargeText(textAt(args, 0).length);
    const from = args[2] === undefined ? undefined : Number(args[2]);
    return BigInt(find(textAt(args, 0), textAt(args, 1), from));
  },
});

function substring({ e, node, args }: Call): Value {
  const value = textAt(args, 0);
  const start = Number(args[1] ?? 0);
  const end = args[2] === undefined ? value.length : Number(args[2]);
  const isInside =
    Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start <= end && end <= value.length;
  return isInside
    ? value.slice(start, end)
    : e.fail(node, () => `${start} to ${end} lies outside a text of ${value.length}`);
}

/** One more than a list may have, so that the list is refused. */
const partsMax = limits.expression.listItems + 1;

const characters = (value: string): string[] => Array.from(value.slice(0, 2 * partsMax));

/** Parts between separators; an empty separator gives the characters. */
function split({ e, args }: Call): Value {
  const value = textAt(args, 0);
  const separator = textAt(args, 1);
  const most = args[2] === undefined ? -1 : Number(args[2]);
  e.chargeText(value.length);
  const parts = separator === '' ? characters(value) : value.split(separator, partsMax);
  e.charge(parts.length);
  if (most < 0 || parts.length <= most) return e.list(parts);
  return e.list(most === 0 ? [] : [...parts.slice(0, most - 1), parts.slice(most - 1).join(separator)]);
}

function join({ e, node, args }: Call): Value {
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

function replace({ e, args }: Call): Value {
  const value = textAt(args, 0);
  const old = textAt(args, 1);
  const fresh = textAt(args, 2);
  e.chargeText(value.length);
  let count = old === '' ? value.length + 1 : 0;
  for (let at = old === '' ? -1 : value.indexOf(old); at >= 0; at = value.indexOf(old, at + old.length)) {
    e.charge(1);
    count++;
  }
  e.roomForText(value.length + count * (fresh.length - old.length));
  return value.replaceAll(old, () => fresh);
}

export const textFunctions: readonly FunctionSpec[] = [
  plain('lower', 'The text in small letters.', (value) => value.toLowerCase()),
  plain('upper', 'The text in capitals.', (value) => value.toUpperCase()),
  plain('lowerAscii', 'The text with A to Z made small.', (value) =>
    value.replaceAll(/[A-Z]+/g, (one) => one.toLowerCase()),
  ),
  plain('upperAscii', 'The text with a to z made capital.', (value) =>
    value.replaceAll(/[a-z]+/g, (one) => one.toUpperCase()),
  ),
  plain('trim', 'The text without white space at its ends.', (value) => value.trim()),
  test('startsWith', 'Whether the text begins with the part.', (value, part) => value.startsWith(part)),
  test('endsWith', 'Whether the text ends with the part.', (value, part) => value.endsWith(part)),
  test('contains', 'Whether the part is in the text.', (value, part) => value.includes(part)),
  search('indexOf', 'Where the part is first; -1 where it is not.', (value, part, start) => value.indexOf(part, start)),
  search('lastIndexOf', 'Where the part is last; -1 where it is not.', (value, part, start) =>
    value.lastIndexOf(part, start),
  ),
  {
    name: 'substring',
    parameters: [self, { name: 'start', kinds: ['number'] }, { name: 'end', kinds: ['number'], isOptional: true }],
    returns: text,
    about: 'The characters from one place up to another, or to the end.',
    run: substring,
  },
  {
    name: 'split',
    parameters: [self, { name: 'separator', kinds: ['text'] }, { name: 'most', kinds: ['number'], isOptional: true }],
    returns: list(text),
    about: 'The parts between the separators.',
    run: split,
  },
  {
    name: 'join',
    parameters: [
      { name: 'list', kinds: ['list'] },
      { name: 'separator', kinds: ['text'], isOptional: true },
    ],
    returns: text,
    about: 'The items as one text, the separator between them.',
    run: join,
  },
  {
    name: 'replace',
    parameters: [self, { name: 'old', kinds: ['text'] }, { name: 'new', kinds: ['text'] }],
    returns: text,
    about: 'The text with every `old` made `new`.',
    run: replace,
  },
];
