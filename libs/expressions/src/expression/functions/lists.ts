/** Functions on lists. */
import { type Evaluation, BudgetSpent } from '../evaluation.ts';
import type { FunctionCall, FunctionSpec } from '../function.ts';
import { calculate, equals, ordered } from '../operators.ts';
import { type Type, alternatives, any, list, number, union } from '../type.ts';
import { type Value, isList } from '../value.ts';
import { isExactNumber } from './decimal.ts';

const self = { name: 'list', kinds: ['list'] } as const;

const emptyHint = 'where the list may be empty, test it first: `size(x) > 0 ? … : …`';

const itemsOf = ({ args }: FunctionCall): readonly Value[] => args[0] as readonly Value[];

const itemType = ([first]: readonly Type[]): Type =>
  union(alternatives(first ?? any).map((one) => (one.kind === 'list' ? one.of : any)));

const sameList = (args: readonly Type[]): Type => list(itemType(args));

const end = (name: 'first' | 'last', at: 0 | -1): FunctionSpec => ({
  name,
  parameters: [self],
  returns: itemType,
  about: `The ${name} item. Fails where there is none: ask \`size(list) > 0\` first.`,
  run: (call) => itemsOf(call).at(at) ?? call.e.fail(call.node, () => `${name} is asked of an empty list`, emptyHint),
});

/** Removes duplicates, and keeps the first of each. */
function distinct(call: FunctionCall): Value {
  const seen = new Map<string, Value[]>();
  const kept = itemsOf(call).filter((item) => {
    call.e.charge(8);
    const bucket = bucketOf(call.e, item);
    const alike = seen.get(bucket);
    if (alike === undefined) seen.set(bucket, [item]);
    else if (alike.some((one) => equals(call.e, one, item))) return false;
    else alike.push(item);
    return true;
  });
  return call.e.list(kept);
}

/** The bucket of a value; equal values share one. */
function bucketOf(e: Evaluation, item: Value): string {
  if (typeof item === 'number' || typeof item === 'bigint') return `number ${item}`;
  if (typeof item === 'string') return `text ${item.length} ${item.slice(0, 32)} ${item.slice(-16)}`;
  if (isList(item)) return `list ${item.length}`;
  if (typeof item !== 'object' || item === null) return String(item);
  return `map ${e.keysOf(item).length}`;
}

function flatten(call: FunctionCall): Value {
  const depth = Number(call.args[1] ?? 1);
  const flat: Value[] = [];
  const walk = (items: readonly Value[], left: number): void => {
    for (const item of items) {
      call.e.charge(1);
      if (isList(item) && left > 0) walk(item, left - 1);
      else flat.push(item);
    }
  };
  if (!(depth >= 0 && depth <= 64)) return call.e.fail(call.node, () => 'flatten goes 0 to 64 lists deep');
  walk(itemsOf(call), depth);
  return call.e.list(flat);
}

function sort(call: FunctionCall): Value {
  const { e, node } = call;
  const items = itemsOf(call);
  const [first] = items;
  // The item of a list of one must be of a sortable kind, too.
  if (first !== undefined) ordered(e, node, first, first);
  return e.list(
    items.toSorted((a, b) => {
      e.charge(1);
      return ordered(e, node, a, b);
    }),
  );
}

/** The items of a lone list, or the arguments themselves. */
function operands({ e, args }: FunctionCall): readonly Value[] {
  const [only] = args;
  const items = args.length === 1 && only !== undefined && isList(only) ? only : args;
  e.charge(items.length);
  return items;
}

const extreme = (name: 'min' | 'max', sign: 1 | -1): FunctionSpec => ({
  name,
  parameters: [{ name: 'list' }],
  isVariadic: true,
  returns: (args) => (args.length === 1 ? itemType(args) : union(args)),
  about: `The ${name === 'min' ? 'smallest' : 'largest'} item of a list, or of the arguments.`,
  run: (call) => {
    const [first, ...rest] = operands(call);
    if (first === undefined) return call.e.fail(call.node, () => `${name} is asked of an empty list`, emptyHint);
    ordered(call.e, call.node, first, first);
    return rest.reduce((best, one) => (sign * ordered(call.e, call.node, one, best) < 0 ? one : best), first);
  },
});

const total = (call: FunctionCall): Value =>
  itemsOf(call).reduce<Value>((sum, one) => {
    call.e.charge(1);
    return calculate(call.e, call.node, '+', sum, one);
  }, 0n);

function average(call: FunctionCall): Value {
  const { e, node } = call;
  const { length } = itemsOf(call);
  if (length === 0) return e.fail(node, () => 'average is asked of an empty list', emptyHint);
  const sum = total(call);
  if (typeof sum !== 'bigint') return calculate(e, node, '/', sum, length);
  // As a number, so that the average of 1 and 2 is 1.5.
  return isExactNumber(sum) ? Number(sum) / length : e.fail(node, () => 'the sum is too large for a number');
}

function range({ e, node, args }: FunctionCall): Value {
  const [start, end] = args.length === 1 ? [0, Number(args[0])] : [Number(args[0]), Number(args[1])];
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end)) return e.fail(node, () => 'range takes integers');
  const count = Math.max(0, end - start);
  roomFor(e, count);
  return e.list(Array.from({ length: count }, (_, i) => BigInt(start + i)));
}

function roomFor(e: Evaluation, count: number): void {
  e.charge(count);
  if (!Number.isSafeInteger(count)) throw new BudgetSpent('it makes a list without end');
}

export const listFunctions: readonly FunctionSpec[] = [
  end('first', 0),
  end('last', -1),
  { name: 'distinct', parameters: [self], returns: sameList, about: 'The list without repetitions.', run: distinct },
  {
    name: 'flatten',
    parameters: [self, { name: 'depth', kinds: ['number'], isOptional: true }],
    returns: list(any),
    about: 'The items of the lists in the list; one level deep by default.',
    run: flatten,
  },
  {
    name: 'sort',
    parameters: [self],
    returns: sameList,
    about: 'Sorts numbers, texts, booleans or times in ascending order.',
    run: sort,
  },
  {
    name: 'sum',
    parameters: [self],
    returns: number,
    about: 'The sum; 0 if the list is empty.',
    run: total,
  },
  {
    name: 'average',
    parameters: [self],
    returns: number,
    about: 'The sum divided by the number of items. Fails if the list is empty.',
    run: average,
  },
  extreme('min', 1),
  extreme('max', -1),
  {
    name: 'range',
    parameters: [
      { name: 'start', kinds: ['number'] },
      { name: 'end', kinds: ['number'], isOptional: true },
    ],
    returns: list(number),
    about: '`range(3)` is `[0, 1, 2]`, `range(2, 4)` is `[2, 3]`.',
    run: range,
  },
];
