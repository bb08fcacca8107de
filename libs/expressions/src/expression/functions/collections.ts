/** Functions that select parts of lists and maps, or combine several. */
import { describeValue } from '../describeValue.ts';
import type { FunctionCall, FunctionSpec } from '../function.ts';
import type { Type } from '../type.ts';
import * as types from '../type.ts';
import { type Value, type ValueMap, isList } from '../value.ts';

const mapIn = (value: Value | undefined): ValueMap => value as ValueMap;

function slice({ e, node, args }: FunctionCall): Value {
  const [list, from, to] = args;
  const items = isList(list ?? null) ? (list as readonly Value[]) : [];
  const [start, end] = [Number(from), to === undefined ? items.length : Number(to)];
  if (!Number.isInteger(start) || !Number.isInteger(end)) return e.fail(node, () => 'slice takes whole places');
  // Missing items are left out: the first five of three are three.
  const part = items.slice(start, end);
  e.charge(part.length);
  return e.list(part);
}

function reverse({ e, args: [value = null] }: FunctionCall): Value {
  if (typeof value === 'string') {
    e.roomForText(value.length);
    return Array.from(value).toReversed().join('');
  }
  const items = isList(value) ? value : [];
  e.charge(items.length);
  return e.list(items.toReversed());
}

function zip({ e, args }: FunctionCall): Value {
  const [a, b] = args as readonly (readonly Value[])[];
  const pairs = (a ?? []).slice(0, b?.length ?? 0).map((one, i) => e.list([one, b?.[i] ?? null]));
  e.charge(3 * pairs.length);
  return e.list(pairs);
}

function merge({ e, args }: FunctionCall): Value {
  const entries = args.flatMap((one) => e.keysOf(mapIn(one)).map((key) => [key, mapIn(one)[key] ?? null] as const));
  // As keys of its own, also `__proto__`.
  return e.map(Object.fromEntries(entries));
}

/** The type of merged maps with known keys; the later map wins. */
function mergedType(args: readonly Type[]): Type {
  if (!args.every((one) => one.kind === 'map')) return types.anyMap;
  const fields = new Map<string, types.Field>();
  for (const { fields: more } of args) {
    for (const [key, field] of more) {
      const before = fields.get(key);
      const joined =
        field.isOptional && before
          ? { type: types.union([before.type, field.type]), isOptional: before.isOptional ?? false }
          : field;
      fields.set(key, joined);
    }
  }
  const isOpen = args.some(({ rest }) => rest !== undefined);
  return types.map(Object.fromEntries(fields), isOpen ? types.any : undefined);
}

function valueType(map: Type | undefined): Type {
  if (map?.kind !== 'map' || map.rest !== undefined) return types.any;
  return types.union(
    map.fields
      .values()
      .map(({ type }) => type)
      .toArray(),
  );
}

const listOf = (type: Type | undefined): Type =>
  types.union(types.alternatives(type ?? types.any).map((one) => (one.kind === 'list' ? one.of : types.any)));

function chunk({ e, node, args }: FunctionCall): Value {
  const items = args[0] as readonly Value[];
  const size = Number(args[1]);
  if (!Number.isInteger(size) || size < 1) return e.fail(node, () => 'chunk takes a size of at least 1');
  e.charge(items.length);
  const count = Math.ceil(items.length / size);
  return e.list(Array.from({ length: count }, (_, i) => e.list(items.slice(i * size, (i + 1) * size))));
}

function entries({ e, args }: FunctionCall): Value {
  const map = mapIn(args[0]);
  const keys = e.keysOf(map);
  e.charge(2 * keys.length);
  return e.list(keys.map((key) => e.map({ key, value: map[key] ?? null })));
}

/** The keys that the second argument names, or the others. */
const selected =
  (isWanted: boolean) =>
  ({ e, node, args }: FunctionCall): Value => {
    const map = mapIn(args[0]);
    const named = args[1] as readonly Value[];
    const wrong = named.find((key) => typeof key !== 'string');
    if (wrong !== undefined) return e.fail(node, () => `${describeValue(wrong)} is no key; texts are`);
    const names = new Set(named);
    e.charge(named.length);
    const kept = e.keysOf(map).filter((key) => names.has(key) === isWanted);
    return e.map(Object.fromEntries(kept.map((key) => [key, map[key] ?? null])));
  };

/** The type of a map with some of its keys, if they are written out. */
const selectedType =
  (isWanted: boolean) =>
  ([type, names]: readonly Type[]): Type => {
    const keys = names?.kind === 'list' ? types.valuesOf(names.of) : undefined;
    if (type?.kind !== 'map' || keys === undefined) return types.anyMap;
    const fields = [...type.fields].flatMap(([key, field]): [string, types.Field][] => {
      if (keys.includes(key) === isWanted) return [[key, field]];
      // The list may name fewer keys than its type allows.
      return isWanted ? [] : [[key, { ...field, isOptional: true }]];
    });
    return types.map(Object.fromEntries(fields), type.rest);
  };

const map = { name: 'map', kinds: ['map'] } as const;
const list = { name: 'list', kinds: ['list'] } as const;

export const collectionFunctions: readonly FunctionSpec[] = [
  {
    name: 'slice',
    parameters: [list, { name: 'start', kinds: ['number'] }, { name: 'end', kinds: ['number'], isOptional: true }],
    returns: ([first]) => types.list(listOf(first)),
    about: 'The items from `start` up to, but not including, `end`; a negative number counts from the end.',
    run: slice,
  },
  {
    name: 'reverse',
    parameters: [{ name: 'value', kinds: ['list', 'text'] }],
    returns: ([first]) => first ?? types.any,
    about: 'The items, or the characters of a text, from the last to the first.',
    run: reverse,
  },
  {
    name: 'zip',
    parameters: [list, { name: 'other', kinds: ['list'] }],
    returns: ([a, b]) => types.list(types.list(types.union([listOf(a), listOf(b)]))),
    about: 'Pairs of the items at the same place; as many as the shorter list has.',
    run: zip,
  },
  {
    name: 'keys',
    parameters: [map],
    returns: types.list(types.text),
    about: 'The keys, in the order of the map.',
    run: ({ e, args }) => e.list(e.keysOf(mapIn(args[0]))),
  },
  {
    name: 'values',
    parameters: [map],
    returns: ([first]) => types.list(valueType(first)),
    about: 'The values, in the order of their keys.',
    run: ({ e, args }) => e.list(e.keysOf(mapIn(args[0])).map((key) => mapIn(args[0])[key] ?? null)),
  },
  {
    name: 'chunk',
    parameters: [list, { name: 'size', kinds: ['number'] }],
    returns: ([first]) => types.list(types.list(listOf(first))),
    about: 'Lists of `size` items each; the last may have fewer.',
    run: chunk,
  },
  {
    name: 'entries',
    parameters: [map],
    returns: ([first]) => types.list(types.map({ key: types.text, value: valueType(first) })),
    about: 'A list of `{"key": …, "value": …}`, in the order of the map.',
    run: entries,
  },
  {
    name: 'pick',
    parameters: [map, { name: 'keys', kinds: ['list'] }],
    returns: selectedType(true),
    about: 'The map with these keys only. A key that the map does not have is left out.',
    run: selected(true),
  },
  {
    name: 'omit',
    parameters: [map, { name: 'keys', kinds: ['list'] }],
    returns: selectedType(false),
    about: 'The map without these keys.',
    run: selected(false),
  },
  {
    name: 'merge',
    parameters: [map, { name: 'other', kinds: ['map'] }],
    isVariadic: true,
    returns: mergedType,
    about: 'All entries of the maps; if several have a key, the last one wins.',
    run: merge,
  },
];
