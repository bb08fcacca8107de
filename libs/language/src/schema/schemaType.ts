/** What a schema says about the kinds of its values, as types of expressions. What it leaves open is `any`. */
import type { Field, Type } from '../expression/type.ts';
import * as types from '../expression/type.ts';
import type { Json, JsonObject, JsonSchema } from '../json.ts';
import { segmentsOf } from '../source/pointer.ts';
import { isObject } from './walk.ts';

const depthMax = 12;

export function typeOfSchema(schema: JsonSchema): Type {
  return typeAt(schema, schema, 0);
}

function typeAt(schema: Json | undefined, root: JsonSchema, depth: number): Type {
  if (!isObject(schema) || depth > depthMax) return types.any;
  const { $ref, const: constant, enum: values, anyOf, oneOf, allOf, type } = schema;
  if (typeof $ref === 'string') return typeAt(resolved($ref, root), root, depth + 1);
  if (constant !== undefined) return types.typeOfValue(constant);
  if (Array.isArray(values)) return types.union(values.map((one: Json) => types.typeOfValue(one)));
  const alternatives = anyOf ?? oneOf;
  if (Array.isArray(alternatives)) return types.union(alternatives.map((one: Json) => typeAt(one, root, depth + 1)));
  if (Array.isArray(allOf)) return types.any;
  const names = [type].flat().filter((one) => typeof one === 'string');
  if (names.length === 0) return isObject(schema['properties']) ? mapType(schema, root, depth) : types.any;
  return types.union(names.map((name) => named(name, schema, root, depth)));
}

function resolved($ref: string, root: JsonSchema): Json | undefined {
  if (!$ref.startsWith('#')) return undefined;
  return segmentsOf(decodeURI($ref.slice(1))).reduce<Json | undefined>(
    (value, segment) => (isObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined),
    root,
  );
}

function named(name: string, schema: JsonObject, root: JsonSchema, depth: number): Type {
  switch (name) {
    case 'string':
      return types.text;
    case 'number':
    case 'integer':
      return types.number;
    case 'boolean':
      return types.boolean;
    case 'null':
      return types.nothing;
    case 'array':
      return types.list(Array.isArray(schema['prefixItems']) ? types.any : typeAt(schema['items'], root, depth + 1));
    case 'object':
      return mapType(schema, root, depth);
    default:
      return types.any;
  }
}

function mapType(schema: JsonObject, root: JsonSchema, depth: number): Type {
  const { properties, required, additionalProperties, patternProperties } = schema;
  const needed = new Set(Array.isArray(required) ? required : []);
  const fields: Record<string, Field> = {};
  for (const [key, one] of Object.entries(isObject(properties) ? properties : {})) {
    const hasDefault = isObject(one) && Object.hasOwn(one, 'default');
    fields[key] = { type: typeAt(one, root, depth + 1), isOptional: !needed.has(key) && !hasDefault };
  }
  if (additionalProperties === false && patternProperties === undefined) return types.map(fields);
  const rest =
    isObject(additionalProperties) && patternProperties === undefined
      ? typeAt(additionalProperties, root, depth + 1)
      : types.any;
  return types.map(fields, rest);
}
