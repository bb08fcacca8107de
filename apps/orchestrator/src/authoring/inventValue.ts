/**
 * Generates a value that fits a schema, to try a workflow without its servers: the smallest value that is not empty.
 */
import type { Json, JsonObject } from '@baton/language';
import { isObject } from '@baton/primitives';

const depthMax = 8;

export function inventValue(schema: unknown, name = 'value', depth = 0): Json {
  if (!isObject(schema) || depth > depthMax) return name;
  const { default: usual, const: only, enum: choices, examples, anyOf, oneOf } = schema as { [key: string]: Json };
  if (usual !== undefined) return usual;
  if (only !== undefined) return only;
  if (Array.isArray(choices) && choices.length > 0) return (choices as readonly Json[])[0] ?? null;
  if (Array.isArray(examples) && examples.length > 0) return (examples as readonly Json[])[0] ?? null;
  const [branch] = (anyOf ?? oneOf ?? []) as readonly Json[];
  if (branch !== undefined) return inventValue(branch, name, depth + 1);
  return ofType(schema as JsonObject, name, depth);
}

function ofType(schema: JsonObject, name: string, depth: number): Json {
  const { type: said, properties, items, minimum } = schema;
  const type = Array.isArray(said) ? (said as readonly Json[])[0] : said;
  switch (type) {
    case 'object': {
      const members = isObject(properties) ? Object.entries(properties) : [];
      return Object.fromEntries(members.map(([key, inner]) => [key, inventValue(inner, key, depth + 1)]));
    }
    case 'array':
      return [inventValue(items, name, depth + 1)];
    case 'integer':
    case 'number':
      return typeof minimum === 'number' ? minimum : 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return properties === undefined ? name : ofType({ ...schema, type: 'object' }, name, depth);
  }
}
