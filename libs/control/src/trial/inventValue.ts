/**
 * Generates a value that fits a schema, to try a workflow without its servers: the smallest value that is not empty. In
 * later rounds of a `repeat` the pages end, and a state goes on.
 */
import { validator } from '@baton/expressions';
import { isCursorName } from '@baton/learn';
import { type Json, type JsonObject, isObject } from '@baton/primitives';

const depthMax = 8;

interface Invented {
  /** The name of the member. */
  readonly name?: string;
  /** Of the `repeat` around the call, from 0 on. */
  readonly round?: number;
  readonly depth?: number;
}

export function inventValue(schema: unknown, { name = 'value', round = 0, depth = 0 }: Invented = {}): Json {
  if (!isObject(schema) || depth > depthMax) return name;
  const { default: usual, const: only, enum: choices, examples, anyOf, oneOf } = schema as { [key: string]: Json };
  if (round > 0 && isCursorName(name) && mayBeNull(schema as JsonObject)) return null;
  if (usual !== undefined) return usual;
  if (only !== undefined) return only;
  if (Array.isArray(choices) && choices.length > 0)
    return (choices as readonly Json[])[Math.min(round, choices.length - 1)] ?? null;
  if (Array.isArray(examples) && examples.length > 0) return (examples as readonly Json[])[0] ?? null;
  const [branch] = (anyOf ?? oneOf ?? []) as readonly Json[];
  if (branch !== undefined) return inventValue(branch, { name, round, depth: depth + 1 });
  return ofType(schema as JsonObject, { name, round, depth });
}

function ofType(schema: JsonObject, { name, round, depth }: Required<Invented>): Json {
  const { type: said, properties, items, minimum } = schema;
  const type = Array.isArray(said) ? (said as readonly Json[])[0] : said;
  switch (type) {
    case 'object':
      return ofMembers(schema, round, depth);
    case 'array':
      return [inventValue(items, { name, round, depth: depth + 1 })];
    case 'integer':
    case 'number':
      return typeof minimum === 'number' ? minimum : 1;
    case 'boolean':
      return round === 0 || !saysMore(name);
    case 'null':
      return null;
    default:
      return properties === undefined ? name : ofMembers(schema, round, depth);
  }
}

function ofMembers({ properties, required }: JsonObject, round: number, depth: number): Json {
  const needed = Array.isArray(required) ? (required as readonly Json[]) : [];
  const members = isObject(properties) ? Object.entries(properties) : [];
  const there = members.filter(([key]) => round === 0 || needed.includes(key) || !isCursorName(key));
  return Object.fromEntries(
    there.map(([key, inner]) => [key, inventValue(inner, { name: key, round, depth: depth + 1 })]),
  );
}

/** As in `hasMore` and `has_next_page`. */
const saysMore = (name: string): boolean => /more|next/i.test(name);

const mayBeNull = (schema: JsonObject): boolean => validator(schema).validate?.(null).length === 0;
