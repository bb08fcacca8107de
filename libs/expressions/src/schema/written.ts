/**
 * Schemas in workflow files: JSON Schema, or only the properties of an object.
 *
 *   org: { type: string }                     required
 *   limit: { type: integer, default: 10 }     not required
 *   note: { type: string, optional: true }    not required
 */
import { isObject, type Json, type JsonObject, type JsonSchema } from '@baton/primitives';

/** Only a schema has a `type` that is a name; a property named `type` has a schema there. */
export function isShorthand(written: JsonObject): boolean {
  const { type, $ref, $schema, properties } = written;
  const isNamed = [type, $ref, $schema].some((one) => typeof one === 'string') || Array.isArray(type);
  const isCombined = ['allOf', 'anyOf', 'oneOf', 'enum', 'required'].some((keyword) => Array.isArray(written[keyword]));
  const isPlainObject =
    isObject(properties) && typeof properties['type'] !== 'string' && Object.keys(written).length === 1;
  return !isNamed && !isCombined && !isPlainObject;
}

/** The JSON Schema of either form. */
export function schemaOf(written: JsonObject): JsonSchema {
  if (!isShorthand(written)) return written;
  const entries = Object.entries(written);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, one]) => [name, withoutOptional(one)])),
    required: entries.flatMap(([name, one]) => (isRequired(one) ? [name] : [])),
    additionalProperties: false,
  };
}

const isRequired = (property: Json): boolean =>
  !isObject(property) || (!Object.hasOwn(property, 'default') && property['optional'] !== true);

function withoutOptional(property: Json): Json {
  if (!isObject(property) || !Object.hasOwn(property, 'optional')) return property;
  const { optional: _optional, ...rest } = property;
  return rest;
}

/** The pointer into the author's text for `meant`, a pointer into the JSON Schema. */
export function writtenPointer(written: JsonObject, meant: string): string {
  return isShorthand(written) ? meant.replace(/^\/properties(?=\/)/, '') : meant;
}
