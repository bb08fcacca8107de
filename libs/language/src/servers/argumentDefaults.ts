/**
 * Tools list as required what has a default: schemas are often made of what a server has after filling it in. Such an
 * argument may be left out; it is filled in when the call is made.
 */
import { isObject } from '@baton/primitives';

import { namesOf, propertiesOf, requiredOf } from '../fit/schemaParts.ts';
import type { Json, JsonObject, JsonSchema } from '../json.ts';

/**
 * By name, those arguments that the tool itself requires; undefined: there is none. Those of nested maps are not looked
 * for.
 */
export function defaultsOf(inputSchema: JsonSchema | undefined): JsonObject | undefined {
  if (!isObject(inputSchema)) return undefined;
  const properties = propertiesOf(inputSchema) ?? {};
  const found = requiredOf(inputSchema).flatMap((name): [string, Json][] => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const value = isObject(property) ? property['default'] : undefined;
    return isObject(property) && value !== undefined && isOfItsKind(value, property) ? [[name, value]] : [];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** A default that the schema itself would refuse is none. */
function isOfItsKind(value: Json, property: JsonObject): boolean {
  const names = namesOf(property);
  const { enum: values } = property;
  if (Array.isArray(values) && !values.includes(value)) return false;
  if (names.length === 0) return true;
  if (value === null) return names.includes('null');
  if (Array.isArray(value)) return names.includes('array');
  if (typeof value === 'number')
    return names.includes('number') || (names.includes('integer') && Number.isInteger(value));
  return names.includes(typeof value);
}

const known = new WeakMap<JsonObject, Map<string | undefined, JsonSchema>>();

/** The same schema, without what need not be written: what has a default, and the argument that holds the key. */
export function withoutGivenArguments(inputSchema: JsonSchema, keyArgument: string | undefined): JsonSchema {
  if (!isObject(inputSchema)) return inputSchema;
  const made = known.get(inputSchema) ?? new Map<string | undefined, JsonSchema>();
  known.set(inputSchema, made);
  const before = made.get(keyArgument);
  if (before !== undefined) return before;
  const given = new Set(Object.keys(defaultsOf(inputSchema) ?? {}));
  if (keyArgument !== undefined) given.add(keyArgument);
  const required = requiredOf(inputSchema);
  const left = required.filter((name) => !given.has(name));
  // The same object where nothing is left out: what was compiled of it is found by it.
  const schema = left.length === required.length ? inputSchema : { ...inputSchema, required: left };
  made.set(keyArgument, schema);
  return schema;
}
