import { isObject, type Json, type JsonObject, type JsonSchema } from '@baton/primitives';

import { admits, admitsAll, hasSameReferences } from './admits.ts';
import { namesOf, propertiesOf, requiredOf } from './schemaParts.ts';

/** Of this, every expression that reads a member is a mistake. */
const nothing: JsonSchema = { type: 'object', properties: {}, additionalProperties: false };

/**
 * What is still sure of a tool's answers after its output schema has changed: members of which the new schema says less
 * than the old one are left out, so that a check finds every expression that reads them.
 */
export function sureOutput(before: JsonSchema | undefined, now: JsonSchema | undefined): JsonSchema | undefined {
  if (before === undefined) return now;
  if (now === undefined) return nothing;
  if (admits(before, now)) return now;
  return (hasSameReferences(before, now) ? surePart(before, now) : undefined) ?? nothing;
}

function surePart(before: Json, now: Json): JsonObject | undefined {
  if (!isObject(before) || !isObject(now)) return undefined;
  if (isOnly(now, 'object') && isOnly(before, 'object')) return sureMembers(before, now);
  if (!isOnly(now, 'array') || !isOnly(before, 'array') || now['prefixItems'] !== undefined) return undefined;
  const items = surePart(before['items'] ?? true, now['items'] ?? true);
  return items && { ...now, items };
}

const isOnly = (schema: JsonObject, kind: 'object' | 'array'): boolean => {
  const names = namesOf(schema);
  return names.length === 1 && names[0] === kind && !choices.some((keyword) => keyword in schema);
};

/** Keywords by which the type of a schema is not what its `properties` or `items` say. */
const choices = ['$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'const', 'patternProperties'];

function sureMembers(before: JsonObject, now: JsonObject): JsonObject {
  const old = propertiesOf(before) ?? {};
  const sure = Object.entries(propertiesOf(now) ?? {}).flatMap(([name, one]): [string, Json][] => {
    const was = Object.hasOwn(old, name) ? (old[name] ?? true) : (before['additionalProperties'] ?? true);
    const part = admitsAll(was, one) ? one : surePart(was, one);
    return part === undefined ? [] : [[name, part]];
  });
  const properties = Object.fromEntries(sure);
  const required = requiredOf(now).filter((name) => Object.hasOwn(properties, name));
  // Without `additionalProperties`, a read of what is not listed is found.
  return { type: 'object', properties, required };
}
