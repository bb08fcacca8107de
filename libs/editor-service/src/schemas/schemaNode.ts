/**
 * Walks a JSON Schema along a value, to find the schemas of a place. Works alike for the language's own schemas and
 * those of tools, so additions to either need no change here.
 */
import { resolved } from '@baton/expressions';
import { namesOf } from '@baton/language';
import { isObject, type Json, type JsonObject } from '@baton/primitives';

/** A schema, and the document that its references point into. */
export interface SchemaNode {
  readonly schema: JsonObject;
  readonly root: JsonObject;
}

export interface SchemaProperty extends SchemaNode {
  readonly name: string;
  readonly isRequired: boolean;
}

const depthMax = 16;

/** The alternatives that the value can mean, with references resolved; all of them if none fits. */
export function unfold(place: SchemaNode, value: Json | undefined, depth = 0): SchemaNode[] {
  const { schema, root } = place;
  if (depth > depthMax) return [];
  const { $ref, anyOf, oneOf, allOf, choices } = schema;
  if (typeof $ref === 'string') {
    const target = resolved($ref, root);
    return isObject(target) ? unfold({ schema: target, root }, value, depth + 1) : [];
  }
  const parts = [anyOf, oneOf, allOf].flatMap((one) => (Array.isArray(one) ? (one as readonly Json[]) : []));
  if (parts.length === 0) return [place];
  const own = isObject(schema['properties']) ? [place] : [];
  const chosen = Array.isArray(choices) ? chosenBy(choices as readonly Json[], parts, value) : parts;
  const all = chosen.flatMap((one) => (isObject(one) ? unfold({ schema: one, root }, value, depth + 1) : []));
  const fitting = all.filter((one) => mayHold(one.schema, value));
  return [...own, ...(fitting.length > 0 ? fitting : all)];
}

/** For a step with a verb, the schema of that verb. */
function chosenBy(choices: readonly Json[], parts: readonly Json[], value: Json | undefined): readonly Json[] {
  const at = isObject(value) ? choices.findIndex((key) => typeof key === 'string' && Object.hasOwn(value, key)) : -1;
  const part = parts[at];
  return part === undefined ? parts : [part];
}

function mayHold(schema: JsonObject, value: Json | undefined): boolean {
  const kinds = namesOf(schema);
  if (value === undefined || value === null || kinds.length === 0) return true;
  if (Array.isArray(value)) return kinds.includes('array');
  if (typeof value === 'number') return kinds.includes('number') || kinds.includes('integer');
  return kinds.includes(typeof value);
}

/** The keys that a map may have here, each once, in the order in which they are declared. */
export function propertiesAt(places: readonly SchemaNode[]): SchemaProperty[] {
  const found = new Map<string, SchemaProperty>();
  for (const { schema, root } of places) {
    const required = Array.isArray(schema['required']) ? schema['required'] : [];
    const { properties } = schema;
    for (const [name, one] of Object.entries(isObject(properties) ? properties : {})) {
      const isRequired = places.length === 1 && required.includes(name);
      if (!found.has(name)) found.set(name, { name, schema: isObject(one) ? one : {}, root, isRequired });
    }
  }
  return [...found.values()];
}

/** One step further: into a key of a map, or an item of a list. */
export function stepInto(places: readonly SchemaNode[], segment: string, value: Json | undefined): SchemaNode[] {
  return places.flatMap(({ schema, root }): SchemaNode[] => {
    const next = Array.isArray(value) ? itemOf(schema, Number(segment)) : valueOf(schema, segment);
    return isObject(next) ? [{ schema: next, root }] : [];
  });
}

function itemOf({ prefixItems, items }: JsonObject, index: number): Json | undefined {
  const own = Array.isArray(prefixItems) ? (prefixItems as readonly Json[])[index] : undefined;
  return own ?? items;
}

function valueOf({ properties, additionalProperties }: JsonObject, key: string): Json | undefined {
  const own = isObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
  return own ?? additionalProperties;
}

/** The value of a keyword in the schema, or in the schema that its `$ref` leads to. */
export function keywordOf({ schema, root }: SchemaNode, keyword: string, depth = 0): Json | undefined {
  const own = schema[keyword];
  if (own !== undefined || depth > depthMax) return own;
  const target = typeof schema['$ref'] === 'string' ? resolved(schema['$ref'], root) : undefined;
  return isObject(target) ? keywordOf({ schema: target, root }, keyword, depth + 1) : undefined;
}
