/**
 * The shape of a message: where it holds objects, and which of their members may be absent. It is read from the zod
 * schemas of the MCP SDK.
 *
 * Many servers and clients write members that are not set as `null` (those in Go, C#, Kotlin, Rust or PHP), and PHP
 * writes `[]` for an empty object. `shaped` reads both as they are meant. What has no shape stays as it is: arguments,
 * structured content, `_meta`, schemas of tools.
 */
import { isObject } from '@baton/primitives';
import type { z } from 'zod';

type Schema = z.core.$ZodType;

interface Member {
  readonly shape: Shape;
  /** It may be absent, and `null` is no value of it. */
  readonly isOmissible: boolean;
}

interface ObjectShape {
  readonly kind: 'object';
  readonly members: ReadonlyMap<string, Member>;
  /** Members that tell this object from others: `type`, `method`, `mode`. */
  readonly literals: ReadonlyMap<string, readonly unknown[]>;
}

export type Shape =
  | { readonly kind: 'plain' }
  | ObjectShape
  /** Its keys are names that the sender chose. */
  | { readonly kind: 'map'; readonly value: Member }
  | { readonly kind: 'list'; readonly item: Shape }
  | { readonly kind: 'choice'; readonly options: readonly Shape[] };

/** The members of a zod definition that are read; which of them exist depends on `type`. */
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly element?: Schema;
  readonly valueType?: Schema;
  readonly options?: readonly Schema[];
  readonly values?: readonly unknown[];
  readonly left?: Schema;
  readonly right?: Schema;
  readonly in?: Schema;
  readonly out?: Schema;
  readonly innerType?: Schema;
}

const definitionOf = (schema: Schema): Definition => schema._zod.def;

const plain: Shape = { kind: 'plain' };
/** Schemas of JSON Schema itself, which `servedSchema` of libs/language reads. */
const schemas: ReadonlySet<string> = new Set(['inputSchema', 'outputSchema']);
const known = new WeakMap<Schema, Shape>();

export function shapeOf(schema: Schema): Shape {
  const shape = known.get(schema) ?? readShape(schema);
  known.set(schema, shape);
  return shape;
}

function readShape(schema: Schema): Shape {
  const { shape, element, valueType, options, left, right } = definitionOf(schema);
  if (shape !== undefined) return objectShape(shape);
  if (element !== undefined) return { kind: 'list', item: shapeOf(element) };
  if (valueType !== undefined) {
    return { kind: 'map', value: { shape: shapeOf(valueType), isOmissible: !admitsNull(valueType) } };
  }
  if (options !== undefined) return { kind: 'choice', options: options.map(shapeOf) };
  if (left !== undefined && right !== undefined) return { kind: 'choice', options: [shapeOf(left), shapeOf(right)] };
  const inner = innerOf(schema);
  return inner === undefined ? plain : shapeOf(inner);
}

/** The schema that this one wraps. */
function innerOf(schema: Schema): Schema | undefined {
  const { in: input, out, innerType } = definitionOf(schema);
  return input !== undefined && definitionOf(input).type !== 'transform' ? input : (out ?? innerType);
}

function objectShape(shape: Readonly<Record<string, Schema>>): ObjectShape {
  const members = Object.entries(shape).map(([key, member]) => {
    const isOmissible = isOptional(member) && !admitsNull(member);
    return [key, { shape: schemas.has(key) ? plain : shapeOf(member), isOmissible }] as const;
  });
  const literals = Object.entries(shape).flatMap(([key, member]) => {
    const { type, values } = definitionOf(member);
    return type === 'literal' && values !== undefined ? [[key, values] as const] : [];
  });
  return { kind: 'object', members: new Map(members), literals: new Map(literals) };
}

const omissible = new Set(['optional', 'default', 'prefault', 'catch']);

function isOptional(schema: Schema): boolean {
  const { type, options } = definitionOf(schema);
  const inner = innerOf(schema);
  return omissible.has(type) || options?.some(isOptional) === true || (inner !== undefined && isOptional(inner));
}

/** Types that have `null`, or that nothing is known of. */
const nullish = new Set(['unknown', 'any', 'null', 'nullable', 'lazy', 'custom', 'transform']);

function admitsNull(schema: Schema): boolean {
  const { type, options, values } = definitionOf(schema);
  if (nullish.has(type) || values?.includes(null) === true) return true;
  if (options !== undefined) return options.some(admitsNull);
  const inner = innerOf(schema);
  return inner !== undefined && admitsNull(inner);
}

/** The value without the `null` of members that may be absent, and with `{}` for `[]` where an object belongs. */
export function shaped(shape: Shape, value: unknown): unknown {
  switch (shape.kind) {
    case 'plain':
      return value;
    case 'list':
      return Array.isArray(value) ? withItems(value, (item) => shaped(shape.item, item)) : value;
    case 'choice':
      return optionsFor(shape.options, value).reduce((reading, option) => shaped(option, reading), value);
    case 'map':
      return withMembers(value, () => shape.value);
    case 'object':
      return withMembers(value, (key) => shape.members.get(key));
  }
}

/** Copies only what differs: most messages need no change. */
function withMembers(value: unknown, memberNamed: (key: string) => Member | undefined): unknown {
  if (Array.isArray(value) && value.length === 0) return {};
  if (!isObject(value)) return value;
  let changed: Record<string, unknown> | undefined;
  for (const [key, given] of Object.entries(value)) {
    const member = memberNamed(key);
    if (member === undefined) continue;
    if (given === null && member.isOmissible) {
      changed ??= { ...value };
      delete changed[key];
      continue;
    }
    const read = shaped(member.shape, given);
    if (read !== given) (changed ??= { ...value })[key] = read;
  }
  return changed ?? value;
}

function withItems(items: readonly unknown[], read: (item: unknown) => unknown): readonly unknown[] {
  const all = items.map(read);
  return all.some((item, at) => item !== items[at]) ? all : items;
}

function optionsFor(options: readonly Shape[], value: unknown): readonly Shape[] {
  if (!Array.isArray(value)) return options.filter((option) => option.kind !== 'object' || isOneOf(option, value));
  const lists = options.filter(({ kind }) => kind === 'list');
  return lists.length > 0 ? lists : options;
}

/** Whether no literal of the shape contradicts the value. */
const isOneOf = ({ literals }: ObjectShape, value: unknown): boolean =>
  !isObject(value) ||
  [...literals].every(([key, values]) => (value[key] ?? undefined) === undefined || values.includes(value[key]));
