/** Functions that select parts of lists and maps, or combine several. */
import type { FunctionCall, FunctionSpec } from '../function.ts';
import type { Type } from '../type.ts';
import * as types from '../type.ts';
import type { Value, ValueMap } from '../value.ts';
import { isList } from '../value.ts';

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

function valuesType([map]: readonly Type[]): Type {
  if (map?.kind !== 'map' || map.rest !== undefined) return types.list(types.any);
  return types.list(
    types.union(
      map.fields
        .values()
        .map(({ type }) => type)
        .toArray(),
    ),
  );
}

const listOf = (type: Type | undefined): Type =>
  types.union(types.alternatives(type ?? types.any).map((one) => (one.kind === 'list' ? one.of : types.any)));

const map = { name: 'map', kinds: ['map'] } as const;
const list = { name: 'list', kinds: ['list'] } as const;

export const collectionFunctions: readonly FunctionSpec[] = [
  {
    name: 'slice',
    parameters: [list, { name: 'start', kinds: ['number'] }, { name: 'end', kinds: ['number'], isOptional: true }],
    returns: ([first]) => types.list(listOf(first)),
    about: 'The items from `start` up to, and without, `end`; places below 0 count from the end.',
    run: slice,
  },
  {
    name: 'reverse',
    parameters: [{ name: 'list', kinds: ['list', 'text'] }],
    returns: ([first]) => first ?? types.any,
    about: 'The items, or the characters of a text, from the last to the first.',
    run: reverse,
  },
  {
    name: 'zip',
    parameters: [list, { name: 'other', kinds: ['list'] }],
    returns: ([a, b]) => types.list(types.list(types.union([listOf(a), listOf(b)]))),
    about: 'Pairs of items that stand at the same place; as many as the shorter has.',
    run: zip,
  },
  {
    name: 'keys',
    parameters: [map],
    returns: types.list(types.text),
    about: 'The keys, in the order in which they stand.',
    run: ({ e, args }) => e.list(e.keysOf(mapIn(args[0]))),
  },
  {
    name: 'values',
    parameters: [map],
    returns: valuesType,
    about: 'The values, in the order of their keys.',
    run: ({ e, args }) => e.list(e.keysOf(mapIn(args[0])).map((key) => mapIn(args[0])[key] ?? null)),
  },
  {
    name: 'merge',
    parameters: [map, { name: 'other', kinds: ['map'] }],
    isVariadic: true,
    returns: mergedType,
    about: 'One map of several; if several have a key, the last one wins.',
    run: merge,
  },
];
