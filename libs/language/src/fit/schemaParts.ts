/**
 * Reads a server's schema as far as checking needs: follows references and names kinds; everything else counts as
 * doubt.
 */
import { resolved, quoted, kindNamed, either } from '@baton/expressions';
import { defined, isObject, type Json, type JsonObject, type JsonSchema } from '@baton/primitives';

const hopsMax = 16;

/** The schema behind its references; undefined if they lead nowhere, or if any value is valid. */
export function resolvedSchema(schema: Json | undefined, root: JsonSchema): JsonObject | undefined {
  let one = schema;
  for (let hops = 0; isObject(one) && typeof one['$ref'] === 'string'; hops++) {
    if (hops > hopsMax) return undefined;
    one = resolved(one['$ref'], root);
  }
  return isObject(one) ? one : undefined;
}

/** Whether a schema, or one that it refers to, has keywords beside its reference, which `resolvedSchema` leaves out. */
export function isMoreThanReference(schema: Json | undefined, root: JsonSchema): boolean {
  let one = schema;
  for (let hops = 0; isObject(one) && typeof one['$ref'] === 'string' && hops <= hopsMax; hops++) {
    if (isFurther(one, ['$ref'])) return true;
    one = resolved(one['$ref'], root);
  }
  return false;
}

/** Keywords that do not affect which values fit. */
const silent = new Set([
  'title',
  'description',
  'default',
  'examples',
  '$schema',
  '$comment',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$defs',
  'definitions',
  '$id',
  '$anchor',
]);

export const isSilent = (keyword: string): boolean => silent.has(keyword) || keyword.startsWith('x-');

/** Whether a schema has further keywords that affect which values fit. */
export const isFurther = (schema: JsonObject, looked: readonly string[]): boolean =>
  Object.keys(schema).some((keyword) => !isSilent(keyword) && !looked.includes(keyword));

/** Whether the schema of a map says nothing of how its members depend on each other. */
export const isPlainMap = (schema: JsonSchema): boolean =>
  isObject(schema) && !isFurther(schema, ['type', 'properties', 'required', 'additionalProperties']);

export const namesOf = ({ type }: JsonObject): readonly string[] =>
  [type].flat().filter((one): one is string => typeof one === 'string');

/** Schemas by key; undefined if the schema lists none. */
export const propertiesOf = ({ properties }: JsonObject): JsonObject | undefined =>
  isObject(properties) ? properties : undefined;

export const requiredOf = ({ required }: JsonObject): readonly string[] =>
  Array.isArray(required) ? required.filter((one): one is string => typeof one === 'string') : [];

/** Schemas of which one, or any, must hold. */
export function choicesOf({ anyOf, oneOf }: JsonObject): readonly Json[] | undefined {
  const choices = Array.isArray(anyOf) ? anyOf : oneOf;
  return Array.isArray(choices) ? choices : undefined;
}

/** `a text`, `"a" or "b"`. */
export function wantedBy(schema: JsonObject, root: JsonSchema): string {
  const { enum: values, const: constant } = schema;
  if (constant !== undefined) return shown(constant);
  if (Array.isArray(values)) return either(values.slice(0, 12).map(shown));
  const names = namesOf(schema);
  if (names.length > 0) return either(names.map(kindNamed));
  const choices = (choicesOf(schema) ?? []).map((one) => resolvedSchema(one, root)).filter((one) => one !== undefined);
  const words = choices.map((one) => (choicesOf(one) === undefined ? wantedBy(one, root) : 'something else'));
  return words.length === 0 ? 'something else' : either([...new Set(words)]);
}

const shown = (value: Json): string => (typeof value === 'string' ? quoted(value) : JSON.stringify(value));

/** The schema as a document of its own, with its references; undefined if that is impossible. */
export function alone(schema: JsonObject, root: JsonSchema): JsonSchema | undefined {
  const references = [...JSON.stringify(schema).matchAll(/"\$ref":"([^"]*)"/g)].map(([, one = '']) => one);
  if (!isObject(root)) return references.length === 0 ? schema : undefined;
  const { $schema, $defs, definitions } = root;
  const dialect = $schema === undefined ? {} : { $schema };
  if (references.length === 0) return { ...schema, ...dialect };
  if (references.some((one) => !/^#\/(\$defs|definitions)\//.test(one))) return undefined;
  return {
    ...schema,
    ...dialect,
    ...($defs === undefined ? {} : { $defs }),
    ...defined({ definitions }),
  };
}
