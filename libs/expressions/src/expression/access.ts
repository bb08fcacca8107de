/** `a.b`, `a["b"]`, `a[0]` and their optional forms. Only own keys can be reached. */
import { quoted } from '../source/excerpt.ts';
import { didYouMean } from '../source/nearest.ts';
import { describeValue, keyList } from './describeValue.ts';
import type { Evaluation } from './evaluation.ts';
import type { ExpressionNode } from './parse.ts';
import { type Value, type ValueMap, isList, isMap, Maybe, none } from './value.ts';

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
  if (value !== undefined) return value;
  const mayLackIt = from === null || isMap(from) || isList(from);
  return e.fail(node, () => missing(from, key), mayLackIt ? missingHint : undefined);
}

/** None if the key does not exist, or if `from` cannot have keys. */
export function accessOptional(from: Value, key: Value): Maybe {
  const target = from instanceof Maybe ? from.value : from;
  const value = target === undefined ? undefined : look(target, key);
  return value === undefined ? none : new Maybe(value);
}

/** The output that an optional access found: a step without one has null in its place. */
export const outputOrNone = (e: Evaluation, found: Maybe): Maybe =>
  e.lacksOutput && found.value === null ? none : found;

/** `has(a.b)`. */
export function hasKey(e: Evaluation, from: Value, key: string, isOutput: boolean): boolean {
  const found = accessOptional(from, key);
  return (isOutput ? outputOrNone(e, found) : found).value !== undefined;
}

/** Whether the access reads the output of a step: `steps.a.output`, `steps["a"].?output`, `steps.loop.steps.a.?output`. */
export function isStepOutput(node: ExpressionNode, bound: { readonly has: (name: string) => boolean }): boolean {
  const [step, key] = accessOf(node) ?? [];
  const [steps] = (step && accessOf(step)) ?? [];
  return key === 'output' && steps !== undefined && isSteps(steps, bound);
}

/** `steps` itself, or those of the last round of a step: `steps.loop.steps`. */
function isSteps(node: ExpressionNode, bound: { readonly has: (name: string) => boolean }): boolean {
  if (node.op === 'id') return node.args === 'steps' && !bound.has('steps');
  const [loop, key] = accessOf(node) ?? [];
  const [outer] = (loop && accessOf(loop)) ?? [];
  return key === 'steps' && outer !== undefined && isSteps(outer, bound);
}

/** What is accessed, and by which key; undefined for the key if it is computed. */
function accessOf(node: ExpressionNode): readonly [ExpressionNode, string | undefined] | undefined {
  if (node.op === '.' || node.op === '.?') return node.args;
  if (node.op !== '[]' && node.op !== '[?]') return undefined;
  const [from, key] = node.args;
  return [from, key.op === 'value' && typeof key.args === 'string' ? key.args : undefined];
}

/** What an author may write for a value that may be null. */
export const nullHint = '`default(a.b, …)` is another value where there is none';

/** What an author may write for a value that is not always there. */
export const missingHint = '`a.?b.orValue(…)` reads what may be missing';

function missing(from: Value, key: Value): string {
  const isIndex = typeof key === 'number' || typeof key === 'bigint';
  if (typeof key !== 'string' && !isIndex) return `${describeValue(key)} is no key; texts and numbers are`;
  if (isIndex ? !isList(from) : !isMap(from)) {
    return `${isIndex ? `item ${key}` : quoted(key)} is asked of ${describeValue(from)}`;
  }
  if (isList(from)) return `there is no item ${String(key)}; the list has ${from.length}`;
  const keys = isMap(from) ? Object.keys(from).slice(0, 5_000) : [];
  const near = didYouMean(String(key), keys);
  if (near !== undefined) return `there is no ${quoted(String(key))}; ${near}`;
  return `there is no ${quoted(String(key))}; ${keys.length === 0 ? 'the map is empty' : `there is ${keyList(keys)}`}`;
}
