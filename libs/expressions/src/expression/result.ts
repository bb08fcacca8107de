/** Converts values of an expression to JSON, and measures them. */
import type { Json } from '@baton/primitives';

import { limits } from '../limits.ts';
import { type Evaluation, BudgetSpent } from './evaluation.ts';
import { scalarText } from './functions/scalarText.ts';
import type { ExpressionNode } from './parse.ts';
import { type Value, Instant, isList, KindValue, Maybe, Period, SpecialValue } from './value.ts';

/** Passes on values that came as JSON; converts only those that the expression made. */
export function toJsonValue(e: Evaluation, value: Value, node: ExpressionNode): Json {
  return typeof value === 'object' && value !== null ? converted(e, value, node, new Map()) : scalar(e, value, node);
}

const scalar = (e: Evaluation, value: Value, node: ExpressionNode): Json =>
  typeof value === 'bigint' || typeof value === 'number' ? asNumber(e, value, node) : (value as Json);

function converted(e: Evaluation, value: Value, node: ExpressionNode, copies: Map<object, Json>): Json {
  if (typeof value !== 'object' || value === null) return scalar(e, value, node);
  if (value instanceof SpecialValue || value instanceof Uint8Array) return special(e, value, node, copies);
  if (!e.isMade(value)) return value as Json;
  const known = copies.get(value);
  if (known !== undefined) return known;
  const copy: Json = isList(value)
    ? value.map((item) => converted(e, item, node, copies))
    : Object.fromEntries(keptEntries(e, value).map(([key, item]) => [key, converted(e, item, node, copies)]));
  copies.set(value, copy);
  return copy;
}

const keptEntries = (e: Evaluation, map: object): [string, Value][] =>
  Object.entries(map).filter(([, item]) => !(e.omitsNone && isNone(item)));

export const isNone = (value: Value): boolean => value instanceof Maybe && value.value === undefined;

function asNumber(e: Evaluation, value: number | bigint, node: ExpressionNode): number {
  if (typeof value === 'number' ? Number.isFinite(value) : Number.isSafeInteger(Number(value))) return Number(value);
  return e.fail(node, () => `${value} cannot be kept as a JSON number; \`string(…)\` makes a text of it`);
}

function special(
  e: Evaluation,
  value: SpecialValue | Uint8Array,
  node: ExpressionNode,
  copies: Map<object, Json>,
): Json {
  if (value instanceof Maybe) return value.value === undefined ? null : converted(e, value.value, node, copies);
  if (value instanceof KindValue) return value.name;
  if (value instanceof Instant || value instanceof Period) return scalarText(value) ?? null;
  return e.fail(node, () => 'bytes are no JSON; `base64(…)` makes a text of them');
}

/** Estimates the length of the JSON text in characters. Ends the evaluation if that is more than `most`. */
export function measureSize(e: Evaluation, value: Json, most: number): number {
  let characters = 0;
  const walk = (one: Json, depth: number): void => {
    characters += typeof one === 'string' ? one.length + 2 : 4;
    e.charge(1 / itemsPerUnit);
    if (characters > most) throw new BudgetSpent(`it makes more than ${most} characters of JSON`);
    if (depth > madeDepth) throw tooDeep();
    if (isArray(one)) for (const item of one) walk(item, depth + 1);
    else if (typeof one === 'object' && one !== null) {
      for (const key of e.keysOf(one)) {
        characters += key.length + 4;
        walk(one[key] ?? null, depth + 1);
      }
    }
  };
  walk(value, 0);
  return characters;
}

/** Throws `BudgetSpent` if the value has more levels than a run may make. */
export function refuseDeep(value: Json, depth = 0): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > madeDepth) throw tooDeep();
  for (const item of isArray(value) ? value : Object.values(value)) refuseDeep(item, depth + 1);
}

const { madeDepth } = limits.value;
const tooDeep = (): BudgetSpent => new BudgetSpent(`it makes a value of more than ${madeDepth} levels`);

const itemsPerUnit = 2;

const isArray = (value: Json): value is readonly Json[] => Array.isArray(value);

/** The text of an expression inside a text. */
export function toText(e: Evaluation, value: Json, most: number): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return String(value);
  measureSize(e, value, most);
  return JSON.stringify(value);
}
