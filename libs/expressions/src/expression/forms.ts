/** Forms that bind more than one name, or turn a list into another kind of value: `find`, `sortBy`, `groupBy`, `reduce`, … */
import { type BoundNames, type CompiledExpression, bind, truth } from './compiled.ts';
import { describeValue } from './describeValue.ts';
import type { Evaluation } from './evaluation.ts';
import { scalarText } from './functions/scalarText.ts';
import { ordered } from './operators.ts';
import type { ExpressionNode } from './parse.ts';
import { type Value, type ValueMap, isList, isMap, Maybe, none } from './value.ts';

/** How many names each form binds, and whether an initial value follows them. */
export const binding: Readonly<Record<string, { readonly names: number; readonly begins?: true }>> = {
  all: { names: 1 },
  exists: { names: 1 },
  exists_one: { names: 1 },
  map: { names: 1 },
  filter: { names: 1 },
  find: { names: 1 },
  sortBy: { names: 1 },
  groupBy: { names: 1 },
  transformList: { names: 2 },
  transformMap: { names: 2 },
  transformMapEntry: { names: 2 },
  reduce: { names: 2, begins: true },
};

type Loop = (
  e: Evaluation,
  node: ExpressionNode,
  from: Value,
  body: (a: Value, b: Value) => Value,
  start: Value,
) => Value;

const forms: Readonly<Record<string, Loop>> = {
  find,
  sortBy,
  groupBy,
  transformList,
  transformMap,
  transformMapEntry,
  reduce,
};

export const isForm = (name: string): boolean => Object.hasOwn(forms, name);

/** Undefined if the call has another form. */
export function compileForm(
  node: ExpressionNode,
  name: string,
  receiver: ExpressionNode,
  args: readonly ExpressionNode[],
  bound: BoundNames,
): CompiledExpression | undefined {
  const { names = 0, begins } = binding[name] ?? {};
  const loop = forms[name];
  const variables = args.slice(0, names).flatMap((one) => (one.op === 'id' ? [one.args] : []));
  const [start, body] = begins ? args.slice(names) : [undefined, args[names]];
  const isWhole = variables.length === names && args.length === names + (begins ? 2 : 1);
  if (loop === undefined || body === undefined || !isWhole) return undefined;
  const from = bound.compile(receiver, bound);
  const begin = start && bound.compile(start, bound);
  const run = bound.compile(body, variables.reduce(bind, bound));
  const slot = bound.count;
  return (e) => {
    e.charge(1);
    const value = from(e);
    const each = (a: Value, b: Value): Value => {
      e.charge(1);
      e.locals[slot] = a;
      e.locals[slot + 1] = b;
      return run(e);
    };
    return loop(e, node, value, each, begin?.(e) ?? null);
  };
}

function listIn(e: Evaluation, node: ExpressionNode, value: Value, name: string): readonly Value[] {
  return isList(value) ? value : e.fail(node, () => `${name} goes through a list, and here is ${describeValue(value)}`);
}

function find(e: Evaluation, node: ExpressionNode, from: Value, holds: (a: Value, b: Value) => Value): Value {
  const found = listIn(e, node, from, 'find').find((item) => truth(e, node, holds(item, null)));
  return found === undefined ? none : new Maybe(found);
}

/** Sorts by ascending keys; items with equal keys keep their order. */
function sortBy(e: Evaluation, node: ExpressionNode, from: Value, key: (a: Value, b: Value) => Value): Value {
  const keyed = listIn(e, node, from, 'sortBy').map((item) => ({ item, key: key(item, null) }));
  const [first] = keyed;
  if (first !== undefined) orderedKeys(e, node, first.key, first.key);
  const sorted = keyed.toSorted((a, b) => orderedKeys(e, node, a.key, b.key));
  return e.list(sorted.map(({ item }) => item));
}

/** Of two lists, the first keys that differ decide. */
function orderedKeys(e: Evaluation, node: ExpressionNode, a: Value, b: Value): number {
  e.charge(1);
  if (!isList(a) || !isList(b)) return ordered(e, node, a, b);
  if (a.length !== b.length) return e.fail(node, () => 'sortBy takes as many keys for each item');
  for (const [i, one] of a.entries()) {
    e.charge(1);
    const order = ordered(e, node, one, b[i] ?? null);
    if (order !== 0) return order;
  }
  return 0;
}

function transformList(e: Evaluation, node: ExpressionNode, from: Value, make: (a: Value, b: Value) => Value): Value {
  return e.list(entriesOf(e, node, 'transformList', from).map(([key, value]) => make(key, value)));
}

function groupBy(e: Evaluation, node: ExpressionNode, from: Value, key: (a: Value, b: Value) => Value): Value {
  const groups = new Map<string, Value[]>();
  for (const item of listIn(e, node, from, 'groupBy')) {
    const name = keyText(e, node, key(item, null));
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return mapOf(
    e,
    node,
    [...groups].map(([name, items]) => [name, e.list(items)]),
  );
}

const entriesOf = (
  e: Evaluation,
  node: ExpressionNode,
  name: string,
  value: Value,
): readonly (readonly [Value, Value])[] => {
  if (isList(value)) return value.map((item, i) => [BigInt(i), item]);
  if (isMap(value)) return e.keysOf(value).map((key) => [key, value[key] ?? null]);
  return e.fail(node, () => `${name} goes through a map or a list, and here is ${describeValue(value)}`);
};

/** The same keys, with other values. */
function transformMap(e: Evaluation, node: ExpressionNode, from: Value, change: (a: Value, b: Value) => Value): Value {
  if (!isMap(from)) return e.fail(node, () => `transformMap changes a map, and here is ${describeValue(from)}`);
  return mapOf(
    e,
    node,
    e.keysOf(from).map((key) => [key, change(key, from[key] ?? null)]),
  );
}

/** Merges the maps that are made of each entry. */
function transformMapEntry(
  e: Evaluation,
  node: ExpressionNode,
  from: Value,
  change: (a: Value, b: Value) => Value,
): Value {
  const made = entriesOf(e, node, 'transformMapEntry', from).flatMap(([key, value]) => {
    const entry = change(key, value);
    if (!isMap(entry))
      return e.fail(node, () => `transformMapEntry takes a map for each, and here is ${describeValue(entry)}`);
    return e.keysOf(entry).map((name): [string, Value] => [name, entry[name] ?? null]);
  });
  return mapOf(e, node, made);
}

function reduce(
  e: Evaluation,
  node: ExpressionNode,
  from: Value,
  add: (a: Value, b: Value) => Value,
  start: Value,
): Value {
  return listIn(e, node, from, 'reduce').reduce((total, item) => add(total, item), start);
}

function keyText(e: Evaluation, node: ExpressionNode, value: Value): string {
  return scalarText(value) ?? e.fail(node, () => `${describeValue(value)} is no key; texts, numbers and booleans are`);
}

const forbidden = new Set(['__proto__', 'prototype', 'constructor']);

function mapOf(e: Evaluation, node: ExpressionNode, entries: readonly (readonly [string, Value])[]): Value {
  e.charge(2 * entries.length);
  const made: Record<string, Value> = {};
  for (const [key, value] of entries) {
    const isTwice = Object.hasOwn(made, key);
    if (isTwice || forbidden.has(key))
      return e.fail(node, () => `the key "${key.slice(0, 40)}" ${isTwice ? 'comes twice' : 'is not allowed'}`);
    made[key] = value;
  }
  return e.map(made satisfies ValueMap);
}
