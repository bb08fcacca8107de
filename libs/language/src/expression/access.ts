/** `a.b`, `a["b"]`, `a[0]` and their optional forms. Only own keys can be reached. */
import { excerpt, quoted } from '../source/excerpt.ts';
import { didYouMean } from '../source/nearest.ts';
import type { Evaluation } from './evaluation.ts';
import type { ExpressionNode } from './parse.ts';
import type { Value, ValueMap } from './value.ts';
import { isList, isMap, kindOfValue, kindWords, Maybe, none } from './value.ts';

/** Undefined if there is no such key or item, or if `from` has neither keys nor items. */
function look(from: Value, key: Value): Value | undefined {
  if (typeof key === 'string') return isMap(from) ? own(from, key) : undefined;
  if ((typeof key !== 'number' && typeof key !== 'bigint') || !isList(from)) return undefined;
  return from[Number(key)];
}

function own(map: ValueMap, key: string): Value | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

export function access(e: Evaluation, node: ExpressionNode, from: Value, key: Value): Value {
  if (from instanceof Maybe) return accessOptional(from, key);
  const value = look(from, key);
  return value === undefined ? e.fail(node, () => missing(from, key)) : value;
}

/** None if the key does not exist, or if `from` cannot have keys. */
export function accessOptional(from: Value, key: Value): Maybe {
  const target = from instanceof Maybe ? from.value : from;
  const value = target === undefined ? undefined : look(target, key);
  return value === undefined ? none : new Maybe(value);
}

/** `has(a.b)`. */
export const hasKey = (from: Value, key: string): boolean => accessOptional(from, key).value !== undefined;

const keysShown = 8;

function missing(from: Value, key: Value): string {
  const isIndex = typeof key === 'number' || typeof key === 'bigint';
  if (typeof key !== 'string' && !isIndex) return `${kindWords[kindOfValue(key)]} is no key; texts and numbers are`;
  if (isIndex ? !isList(from) : !isMap(from)) {
    return `${isIndex ? `item ${key}` : quoted(key)} is asked of ${kindWords[kindOfValue(from)]}`;
  }
  if (isList(from)) return `there is no item ${String(key)}; the list has ${from.length}`;
  const keys = isMap(from) ? Object.keys(from).slice(0, 5_000) : [];
  const near = didYouMean(String(key), keys);
  if (near !== undefined) return `there is no ${quoted(String(key))}; ${near}`;
  const shown = keys.slice(0, keysShown).map((one) => `"${excerpt(one, 30)}"`);
  const more = keys.length > keysShown ? ', …' : '';
  return `there is no ${quoted(String(key))}${shown.length === 0 ? '; the map is empty' : `; there is ${shown.join(', ')}${more}`}`;
}
