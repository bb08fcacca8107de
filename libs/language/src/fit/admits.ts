/**
 * Whether one schema takes every value that another one takes, by their keywords alone. False means "not proved": what
 * cannot be compared keyword by keyword must be the same in both.
 */
import { validator } from '@baton/expressions';
import { canonicalJson, isObject, jsonTypeOf, type Json, type JsonObject, type JsonSchema } from '@baton/primitives';

import { choicesOf, isSilent, namesOf, propertiesOf, requiredOf } from './schemaParts.ts';

/** Schemas of servers may nest as deep as they like. */
const depthMax = 24;

/** `wide` and `narrow` are whole documents: their references lead into themselves. */
export function admits(wide: JsonSchema, narrow: JsonSchema): boolean {
  if (isSameSchema(wide, narrow)) return true;
  return hasSameReferences(wide, narrow) && admitsAll(wide, narrow);
}

/** References mean the same in both documents: they lead to definitions, which are equal, or there are none. */
export function hasSameReferences(a: JsonSchema, b: JsonSchema): boolean {
  const places = [a, b].flatMap((one) => [
    ...JSON.stringify(one).matchAll(/"\$(?:dynamicR|recursiveR|r)ef":"([^"]*)"/g),
  ]);
  if (places.length === 0) return true;
  if (places.some(([, place = '']) => !/^#\/(\$defs|definitions)\//.test(place))) return false;
  return isSame(definitionsOf(a), definitionsOf(b));
}

const definitionsOf = (schema: JsonSchema): Json =>
  isObject(schema) ? { $defs: schema['$defs'] ?? {}, definitions: schema['definitions'] ?? {} } : {};

/** Equal, the words for people aside. */
const isSameSchema = (a: Json | undefined, b: Json | undefined): boolean =>
  a === undefined || b === undefined ? a === b : canonicalJson(bare(a)) === canonicalJson(bare(b));

const isSame = (a: Json | undefined, b: Json | undefined): boolean =>
  a === undefined || b === undefined ? a === b : canonicalJson(a) === canonicalJson(b);

/** Keywords whose members are named by the author: a property may be called `title`. */
const named: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions']);
/** Keywords that hold plain values. */
const verbatim: ReadonlySet<string> = new Set(['const', 'enum']);

function bare(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map((one: Json) => bare(one));
  if (!isObject(schema)) return schema;
  const kept = Object.entries(schema).filter(([keyword]) => named.has(keyword) || !isSilent(keyword));
  return Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (verbatim.has(keyword)) return [keyword, value];
      if (!named.has(keyword) || !isObject(value)) return [keyword, bare(value)];
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, bare(one)]))];
    }),
  );
}

/** As `admits`, of parts of two documents whose references mean the same. */
export function admitsAll(wide: Json, narrow: Json, depth = 0): boolean {
  if (isAnything(wide) || narrow === false || isSameSchema(wide, narrow)) return true;
  if (!isObject(wide) || depth > depthMax) return false;
  const narrower: JsonObject = isObject(narrow) ? narrow : {};
  // OpenAPI's `nullable` widens what the other keywords say.
  if (!isSame(wide['nullable'], narrower['nullable'])) return false;
  const values = valuesOf(narrower);
  if (values !== undefined && takesEach(wide, values)) return true;
  const options = choicesOf(narrower);
  if (options?.every((one) => admitsAll(wide, one, depth + 1)) === true) return true;
  return Object.entries(wide).every(
    ([keyword, value]) => isSilent(keyword) || holds(keyword, { wide, value, narrow: narrower, depth }),
  );
}

/** Exactly; false where the schema refers to another place. */
function takesEach(schema: JsonObject, values: readonly Json[]): boolean {
  if (JSON.stringify(schema).includes('"$ref"')) return false;
  const { validate } = validator(schema);
  return validate !== undefined && values.every((value) => validate(value).length === 0);
}

const isAnything = (schema: Json): boolean =>
  schema === true || (isObject(schema) && Object.keys(schema).every(isSilent));

interface Comparison {
  readonly wide: JsonObject;
  /** Of the keyword in `wide`. */
  readonly value: Json;
  readonly narrow: JsonObject;
  readonly depth: number;
}

const least: ReadonlySet<string> = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']);
const most: ReadonlySet<string> = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']);

/** Whether every value that `narrow` takes meets this keyword of `wide`. */
function holds(keyword: string, comparison: Comparison): boolean {
  const { wide, value, narrow, depth } = comparison;
  const own = narrow[keyword];
  if (least.has(keyword)) return typeof own === 'number' && typeof value === 'number' && own >= value;
  if (most.has(keyword)) return typeof own === 'number' && typeof value === 'number' && own <= value;
  switch (keyword) {
    case 'type':
      return kindsOf(narrow)?.every((name) => takesKind(namesOf(wide), name)) === true;
    case 'enum':
    case 'const':
      return valuesOf(narrow)?.every((one) => valuesOf(wide)?.some((other) => isSame(one, other))) === true;
    case 'required':
      return requiredOf(wide).every((name) => requiredOf(narrow).includes(name));
    case 'properties':
      return Object.entries(propertiesOf(wide) ?? {}).every(([name, one]) =>
        admitsAll(one, memberOf(narrow, name), depth + 1),
      );
    case 'additionalProperties':
      return holdsOthers(comparison);
    case 'items':
      return narrow['prefixItems'] === undefined && admitsAll(value, own ?? true, depth + 1);
    case 'anyOf':
      return choicesIn(value).some((one) => admitsAll(one, narrow, depth + 1));
    case 'contains':
      return isSameSchema(value, own) && isSame(wide['minContains'], narrow['minContains']);
    case 'unevaluatedProperties':
    case 'unevaluatedItems':
      return false;
    default:
      return isSameSchema(value, own);
  }
}

const choicesIn = (value: Json): readonly Json[] => (Array.isArray(value) ? value : []);

const takesKind = (names: readonly string[], name: string): boolean =>
  names.includes(name) || (name === 'integer' && names.includes('number'));

/** Undefined: any value. */
function valuesOf({ enum: values, const: constant }: JsonObject): readonly Json[] | undefined {
  if (constant !== undefined) return [constant];
  return Array.isArray(values) ? values : undefined;
}

/** The names of the kinds of its values; undefined: any. */
function kindsOf(schema: JsonObject): readonly string[] | undefined {
  const values = valuesOf(schema);
  if (values !== undefined) return values.map(kindOfValue);
  const names = namesOf(schema);
  return names.length === 0 ? undefined : names;
}

const kindOfValue = (value: Json): string => (Number.isInteger(value) ? 'integer' : jsonTypeOf(value));

/** The schema of a member; `false`: there is none of that name. */
function memberOf(schema: JsonObject, name: string): Json {
  const properties = propertiesOf(schema) ?? {};
  if (Object.hasOwn(properties, name)) return properties[name] ?? true;
  return schema['patternProperties'] === undefined ? (schema['additionalProperties'] ?? true) : true;
}

/** `additionalProperties` concerns the members that neither `properties` nor `patternProperties` of `wide` name. */
function holdsOthers({ wide, value, narrow, depth }: Comparison): boolean {
  if (!isSameSchema(wide['patternProperties'], narrow['patternProperties'])) return false;
  const listed = propertiesOf(wide) ?? {};
  const further = Object.entries(propertiesOf(narrow) ?? {}).filter(([name]) => !Object.hasOwn(listed, name));
  return [...further.map(([, one]) => one), narrow['additionalProperties'] ?? true].every((one) =>
    admitsAll(value, one, depth + 1),
  );
}
