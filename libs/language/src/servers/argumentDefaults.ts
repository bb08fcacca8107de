/**
 * Many tools require arguments that have a default, because their schemas describe the values after defaults. A
 * workflow may omit such an argument; Baton fills it in when it makes the call.
 */
import { isObject, type Json, type JsonObject, type JsonSchema } from '@baton/primitives';

import { namesOf, propertiesOf, requiredOf } from '../fit/schemaParts.ts';

/** The defaults of required arguments by name, at the top level only; undefined: there is none. */
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

/** Ignores a default that does not fit its own schema. */
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

/** The schema without arguments that the author may omit: those with a default, and the one that holds the key. */
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
  // Returns the same object if nothing is removed, since compiled validators are cached by it.
  const schema = left.length === required.length ? inputSchema : { ...inputSchema, required: left };
  made.set(keyArgument, schema);
  return schema;
}
