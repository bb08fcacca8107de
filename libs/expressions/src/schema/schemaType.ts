/** Converts a schema into a type of expressions. What the schema leaves open is `any`. */
import { isObject, type Json, type JsonObject, type JsonSchema } from '@baton/primitives';

import type { Field, Type } from '../expression/type.ts';
import * as types from '../expression/type.ts';
import { segmentsOf } from '../source/pointer.ts';
import { refusalOf } from './schemaCost.ts';

const depthMax = 12;
/** A schema that refers to itself in ten places would otherwise be unfolded a million times. */
const schemasMax = 2_000;

interface SchemaReader {
  readonly root: JsonSchema;
  /** Defaults are filled in before expressions read the value. */
  readonly isFilled: boolean;
  left: number;
}

/** The type of a value that was validated, with defaults filled in. */
export const typeOfSchema = (schema: JsonSchema): Type =>
  typeAt(schema, { root: schema, isFilled: true, left: schemasMax }, 0);

/** The type of a server's result, without defaults. `any` if the schema is unreliable. */
export const typeOfResult = (schema: JsonSchema): Type =>
  refusalOf(schema) === undefined ? typeAt(schema, { root: schema, isFilled: false, left: schemasMax }, 0) : types.any;

function typeAt(schema: Json | undefined, reading: SchemaReader, depth: number): Type {
  if (!isObject(schema) || depth > depthMax || reading.left-- <= 0) return types.any;
  const { $ref, const: constant, enum: values, anyOf, oneOf, allOf, type: kinds } = schema;
  if (typeof $ref === 'string') return typeAt(resolved($ref, reading.root), reading, depth + 1);
  if (constant !== undefined) return types.typeOfValue(constant);
  if (Array.isArray(values)) return types.union(values.map((one: Json) => types.typeOfValue(one)));
  const alternatives = anyOf ?? oneOf;
  if (Array.isArray(alternatives)) return types.union(alternatives.map((one: Json) => typeAt(one, reading, depth + 1)));
  if (Array.isArray(allOf)) return types.any;
  const names = [kinds].flat().filter((one) => typeof one === 'string');
  if (names.length === 0)
    return isObject(schema['properties']) ? { ...mapType(schema, reading, depth), isAssumed: true } : types.any;
  const type = types.union(names.map((name) => named(name, schema, reading, depth)));
  return schema['nullable'] === true ? types.orNull(type) : type;
}

export function resolved($ref: string, root: JsonSchema): Json | undefined {
  if (!$ref.startsWith('#')) return undefined;
  return segmentsOf(fragmentOf($ref)).reduce<Json | undefined>((value, segment) => child(value, segment), root);
}

function child(value: Json | undefined, segment: string): Json | undefined {
  if (Array.isArray(value)) return (value as readonly Json[])[Number(segment)];
  return isObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined;
}

/** Text that is no URI stays as it is. */
function fragmentOf($ref: string): string {
  try {
    return decodeURIComponent($ref.slice(1));
  } catch (error) {
    if (error instanceof URIError) return $ref.slice(1);
    throw error;
  }
}

function named(name: string, schema: JsonObject, reading: SchemaReader, depth: number): Type {
  switch (name) {
    case 'string':
      return types.text;
    case 'number':
      return types.number;
    case 'integer':
      return types.integer;
    case 'boolean':
      return types.boolean;
    case 'null':
      return types.nothing;
    case 'array':
      return types.list(Array.isArray(schema['prefixItems']) ? types.any : typeAt(schema['items'], reading, depth + 1));
    case 'object':
      return mapType(schema, reading, depth);
    default:
      return types.any;
  }
}

function mapType(schema: JsonObject, reading: SchemaReader, depth: number): Extract<Type, { kind: 'map' }> {
  const { properties, required, additionalProperties, patternProperties } = schema;
  const needed = new Set(Array.isArray(required) ? required : []);
  const fields: Record<string, Field> = {};
  for (const [key, one] of Object.entries(isObject(properties) ? properties : {})) {
    const hasDefault = reading.isFilled && isObject(one) && Object.hasOwn(one, 'default');
    fields[key] = { type: typeAt(one, reading, depth + 1), isOptional: !needed.has(key) && !hasDefault };
  }
  if (additionalProperties === false && patternProperties === undefined) return types.map(fields);
  if (additionalProperties === undefined && patternProperties === undefined && isObject(properties)) {
    return types.openMap(fields);
  }
  const rest =
    isObject(additionalProperties) && patternProperties === undefined
      ? typeAt(additionalProperties, reading, depth + 1)
      : types.any;
  return types.map(fields, rest);
}
