/** Finds the condition that explains which items of a list were taken. */
import { literal, member } from '@baton/expressions';
import { type Json, isObject } from '@baton/primitives';

interface Condition {
  readonly text: string;
  /** Smaller is more telling. */
  readonly rank: number;
  readonly holds: (item: Json) => boolean;
}

/** Reads a member of an item, or the item itself. */
interface ItemReading {
  readonly expression: string;
  readonly read: (item: Json) => Json | undefined;
}

/**
 * The condition that holds for exactly the items at `taken`; '' if all were taken, undefined if no condition explains
 * them. `name`: the item's name in the condition. `known`: expressions of the values of inputs.
 */
export function explainTaken(
  items: readonly Json[],
  taken: ReadonlySet<number>,
  name: string,
  known: (value: Json) => string | undefined,
): string | undefined {
  if (taken.size === items.length) return '';
  const { all, outside } = conditionsOf(items, taken, name, known);
  const alone = all.find(({ holds }) => !outside.some(holds));
  if (alone !== undefined) return alone.text;
  for (const [at, first] of all.entries()) {
    const second = all.slice(at + 1).find(({ holds }) => !outside.some((item) => first.holds(item) && holds(item)));
    if (second !== undefined) return `${first.text} && ${second.text}`;
  }
  return undefined;
}

/** Each condition that alone holds for exactly the items at `taken`, the most telling first. */
export function explanations(items: readonly Json[], taken: ReadonlySet<number>, name: string): readonly string[] {
  const { all, outside } = conditionsOf(items, taken, name, () => undefined);
  return all.filter(({ holds }) => !outside.some(holds)).map(({ text }) => text);
}

function conditionsOf(
  items: readonly Json[],
  taken: ReadonlySet<number>,
  name: string,
  known: (value: Json) => string | undefined,
): { readonly all: readonly Condition[]; readonly outside: readonly Json[] } {
  const inside = items.filter((_, index) => taken.has(index));
  const outside = items.filter((_, index) => !taken.has(index));
  const all = readingsOf(inside, name).flatMap((reading) => conditions(reading, inside, outside, known));
  return { all: all.toSorted((a, b) => a.rank - b.rank), outside };
}

function readingsOf(items: readonly Json[], name: string): readonly ItemReading[] {
  const [first] = items;
  if (!isObject(first)) return [{ expression: name, read: (item) => item }];
  return Object.keys(first)
    .filter((key) => items.every((item) => isObject(item) && Object.hasOwn(item, key)))
    .map((key) => ({ expression: member(name, key), read: (item) => (isObject(item) ? item[key] : undefined) }));
}

/** True for every taken item, the most telling first. */
function conditions(
  { expression, read }: ItemReading,
  inside: readonly Json[],
  outside: readonly Json[],
  known: (value: Json) => string | undefined,
): readonly Condition[] {
  const values = inside.map(read);
  const others = outside.map(read);
  const [first] = values;
  if (first === undefined) return [];
  const found: Condition[] = [];
  const isScalar = typeof first === 'string' || typeof first === 'number' || typeof first === 'boolean';
  if (isScalar && values.every((value) => value === first)) {
    const isEqual = `${expression} == ${known(first) ?? literal(first)}`;
    const truth = first === true ? expression : `!${expression}`;
    found.push({ text: typeof first === 'boolean' ? truth : isEqual, rank: 0, holds: (item) => read(item) === first });
  }
  if (values.every((value) => typeof value === 'string')) found.push(...textConditions({ expression, read }, values));
  if (values.every((value) => typeof value === 'number')) {
    found.push(...numberConditions({ expression, read }, values, others));
  }
  const [other] = new Set(others);
  if (
    (typeof other === 'string' || typeof other === 'boolean') &&
    new Set(others).size === 1 &&
    !values.includes(other)
  ) {
    found.push({ text: `${expression} != ${literal(other)}`, rank: 4, holds: (item) => read(item) !== other });
  }
  return found;
}

function textConditions({ expression, read }: ItemReading, values: readonly string[]): readonly Condition[] {
  const found: Condition[] = [];
  const test = (name: 'endsWith' | 'startsWith' | 'contains', part: string): void => {
    const holds = (item: Json): boolean => {
      const value = read(item);
      if (typeof value !== 'string') return false;
      return name === 'contains' ? value.includes(part) : value[name](part);
    };
    found.push({ text: `${expression}.${name}(${literal(part)})`, rank: name === 'contains' ? 3 : 1, holds });
  };
  const ending = /\.[A-Za-z\d]{1,8}$/.exec(values[0] ?? '')?.[0];
  if (ending !== undefined && values.every((value) => value.endsWith(ending))) test('endsWith', ending);
  const start = commonStart(values);
  if (start !== '') test('startsWith', start);
  for (const word of commonWords(values)) test('contains', word);
  return found;
}

/** The common beginning, up to the end of a word. */
function commonStart([first = '', ...rest]: readonly string[]): string {
  let end = first.length;
  for (const text of rest) while (!text.startsWith(first.slice(0, end))) end -= 1;
  const shared = first.slice(0, end);
  return rest.length === 0 ? (/^\W*\w+\W+/.exec(shared)?.[0] ?? '') : (/^.*[\W_]/s.exec(shared)?.[0] ?? '');
}

function commonWords([first = '', ...rest]: readonly string[]): readonly string[] {
  const words = first.match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  return words.filter((word) => rest.every((text) => text.includes(word))).slice(0, 8);
}

function numberConditions(
  { expression, read }: ItemReading,
  values: readonly number[],
  others: readonly (Json | undefined)[],
): readonly Condition[] {
  const rest = others.filter((value) => typeof value === 'number');
  if (rest.length === 0) return [];
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const found: Condition[] = [];
  const compare = (sign: '>=' | '<=', limit: number): void => {
    const holds = (item: Json): boolean => {
      const value = read(item);
      return typeof value === 'number' && (sign === '>=' ? value >= limit : value <= limit);
    };
    found.push({ text: `${expression} ${sign} ${literal(limit)}`, rank: 2, holds });
  };
  if (Math.max(...rest) < least) compare('>=', least);
  if (Math.min(...rest) > most) compare('<=', most);
  return found;
}
