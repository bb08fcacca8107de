/**
 * Whether one schema takes every value that another one takes, by their keywords alone. False means "not proved": what
 * cannot be compared keyword by keyword must be the same in both, and so must each keyword that is not known here.
 */
import {
  type Dialect,
  dialectOf,
  schemasIn,
  soundSchema,
  usableSchema,
  validator,
  vocabulary,
} from '@baton/expressions';
import { isObject, isSameJson, jsonTypeOf, type Json, type JsonObject, type JsonSchema } from '@baton/primitives';

import { isForPeople, isSameKeyword, isSameSchema } from './sameSchema.ts';
import { choicesOf, namesOf, propertiesOf, requiredOf } from './schemaParts.ts';

/** Schemas of servers may nest as deep as they like, and have any number of alternatives. */
const depthMax = 24;
const comparedMax = 5_000;
const compiledMax = 50;

/** Two whole documents, as Baton uses them. */
export interface SchemaPair {
  readonly wide: Json;
  readonly narrow: Json;
  /** Whether the part of one takes every value that the part of the other takes. */
  readonly admits: (wide: Json, narrow: Json) => boolean;
}

/** `wide` and `narrow` are whole documents: their references lead into themselves. */
export function admits(wide: JsonSchema, narrow: JsonSchema): boolean {
  const pair = pairOf(wide, narrow);
  if (pair === undefined) return dialectOf(wide) === dialectOf(narrow) && isSameSchema(wide, narrow);
  return pair.admits(pair.wide, pair.narrow);
}

/** Undefined where parts of the documents may mean different things, or Baton uses only a part of one of them. */
export function pairOf(wide: JsonSchema, narrow: JsonSchema): SchemaPair | undefined {
  if (![wide, narrow].every(isUsedWhole)) return undefined;
  const [a, b] = [usableSchema(wide).schema, usableSchema(narrow).schema];
  if (!hasSameReferences(a, b)) return undefined;
  const dialect = dialectOf(a);
  if (dialect !== dialectOf(b) && [a, b].some(isOfOneDialect)) return undefined;
  const comparing: Comparing = { dialect, budget: { compared: comparedMax, compiled: compiledMax }, depth: 0 };
  return { wide: a, narrow: b, admits: (one, other) => admitsAll(comparing, one, other) };
}

/** Whether Baton takes no part of it on trust, and leaves out no keyword that the validator would misread. */
function isUsedWhole(schema: JsonSchema): boolean {
  const { schema: usable, trusted } = usableSchema(schema);
  return trusted.length === 0 && (!isObject(schema) || isSameJson(usable, soundSchema(schema).schema));
}

/** Keywords that one dialect ignores, or reads otherwise. */
const ofOneDialect =
  `additionalItems prefixItems unevaluatedItems unevaluatedProperties dependentRequired dependentSchemas
  dependencies minContains maxContains contains $ref $anchor`.split(/\s+/);

const isOfOneDialect = (schema: JsonSchema): boolean =>
  [...schemasIn(schema)].some(
    ({ schema: one }) => Array.isArray(one['items']) || ofOneDialect.some((keyword) => keyword in one),
  );

/** References mean the same in both documents: they lead to definitions, which are equal, or there are none. */
function hasSameReferences(a: JsonSchema, b: JsonSchema): boolean {
  const places = [a, b].flatMap((one) => [
    ...JSON.stringify(one).matchAll(/"\$(?:dynamicR|recursiveR|r)ef":"([^"]*)"/g),
  ]);
  if (places.length === 0) return true;
  if (places.some(([, place = '']) => !/^#\/(\$defs|definitions)\//.test(place))) return false;
  return isObject(a) && isObject(b) && ['$defs', 'definitions'].every((keyword) => isSameKeyword(keyword, a, b));
}

interface Comparing {
  readonly dialect: Dialect;
  /** How many pairs may still be compared, and schemas compiled. */
  readonly budget: { compared: number; compiled: number };
  readonly depth: number;
}

function admitsAll(above: Comparing, wide: Json, narrow: Json): boolean {
  if (isAnything(wide) || narrow === false || isSameSchema(wide, narrow)) return true;
  if (!isObject(wide) || above.depth > depthMax || above.budget.compared-- <= 0) return false;
  const comparing = { ...above, depth: above.depth + 1 };
  const narrower: JsonObject = isObject(narrow) ? narrow : {};
  if (!hasSameStrangers(wide, narrower)) return false;
  const values = valuesOf(narrower);
  if (values !== undefined && takesEach(comparing, wide, values)) return true;
  const options = choicesOf(narrower) ?? [];
  if (options.length > 0 && options.every((one) => admitsAll(comparing, wide, one))) return true;
  return Object.entries(wide).every(
    ([keyword, value]) => isForPeople(keyword) || holds(keyword, { wide, value, narrow: narrower, comparing }),
  );
}

/** Keywords of which nothing is known here may say anything. */
const isStrange = (keyword: string): boolean =>
  !vocabulary.has(keyword) && !isForPeople(keyword) && keyword !== 'nullable';

const hasSameStrangers = (a: JsonObject, b: JsonObject): boolean =>
  Object.keys({ ...a, ...b }).every((keyword) => !isStrange(keyword) || isSameKeyword(keyword, a, b));

/** Exactly; false where the schema refers to another place, or has a keyword that the validator would pass over. */
function takesEach({ dialect, budget }: Comparing, schema: JsonObject, values: readonly Json[]): boolean {
  if (/"\$\w*[rR]ef"/.test(JSON.stringify(schema)) || budget.compiled-- <= 0) return false;
  if ([...schemasIn(schema)].some((place) => Object.keys(place.schema).some(isStrange))) return false;
  const $schema = `http://json-schema.org/${dialect}/schema`;
  const { validate } = validator({ ...schema, $schema });
  return validate !== undefined && values.every((value) => validate(value).length === 0);
}

const isAnything = (schema: Json): boolean =>
  schema === true || (isObject(schema) && Object.keys(schema).every(isForPeople));

interface KeywordComparison {
  readonly wide: JsonObject;
  /** Of the keyword in `wide`. */
  readonly value: Json;
  readonly narrow: JsonObject;
  readonly comparing: Comparing;
}

const least: ReadonlySet<string> = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']);
const most: ReadonlySet<string> = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']);

/** Whether a limit that the keyword sets in one schema is as narrow in the other. */
export function isAsNarrow(keyword: string, wide: JsonObject, narrow: JsonObject): boolean {
  const [value, own] = [wide[keyword], narrow[keyword]];
  if (value === undefined) return true;
  if (typeof own !== 'number' || typeof value !== 'number') return false;
  return least.has(keyword) ? own >= value : own <= value;
}

/** Whether every value that `narrow` takes meets this keyword of `wide`. */
function holds(keyword: string, comparison: KeywordComparison): boolean {
  const { wide, value, narrow, comparing } = comparison;
  if (least.has(keyword) || most.has(keyword)) return isAsNarrow(keyword, wide, narrow);
  switch (keyword) {
    case 'type':
      return kindsOf(narrow)?.every((name) => takesKind(kindsNamed(wide), name)) === true;
    case 'nullable':
      // The `type` beside it takes null then.
      return true;
    case 'enum':
      return valuesOf(narrow)?.every((one) => listOf(value).some((other) => isSameJson(one, other))) === true;
    case 'const':
      return valuesOf(narrow)?.every((one) => isSameJson(one, value)) === true;
    case 'required':
      return requiredOf(wide).every((name) => requiredOf(narrow).includes(name));
    case 'properties':
      return Object.entries(propertiesOf(wide) ?? {}).every(([name, one]) =>
        admitsAll(comparing, one, memberOf(narrow, name)),
      );
    case 'additionalProperties':
      return holdsOthers(comparison);
    case 'items':
      return holdsItems(comparison);
    case 'anyOf':
      return isSameKeyword(keyword, wide, narrow) || listOf(value).some((one) => admitsAll(comparing, one, narrow));
    case 'contains':
      return ['contains', 'minContains'].every((one) => isSameKeyword(one, wide, narrow));
    case 'unevaluatedProperties':
    case 'unevaluatedItems':
      return false;
    default:
      return isSameKeyword(keyword, wide, narrow);
  }
}

const listOf = (value: Json): readonly Json[] => (Array.isArray(value) ? value : []);

/** The names of the kinds that `type` takes, and OpenAPI's `nullable` with it. */
const kindsNamed = (schema: JsonObject): readonly string[] =>
  schema['nullable'] === true ? [...namesOf(schema), 'null'] : namesOf(schema);

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
  if (values !== undefined) return values.map((one) => (Number.isInteger(one) ? 'integer' : jsonTypeOf(one)));
  const names = kindsNamed(schema);
  return namesOf(schema).length === 0 ? undefined : names;
}

/** A schema that takes at least the member; `false`: there is none of that name. */
export function memberOf(schema: JsonObject, name: string): Json {
  const properties = propertiesOf(schema) ?? {};
  if (Object.hasOwn(properties, name)) return properties[name] ?? true;
  return schema['patternProperties'] === undefined ? (schema['additionalProperties'] ?? true) : true;
}

/** `additionalProperties` concerns the members that neither `properties` nor `patternProperties` of `wide` name. */
function holdsOthers({ wide, value, narrow, comparing }: KeywordComparison): boolean {
  if (!isSameKeyword('patternProperties', wide, narrow)) return false;
  const listed = propertiesOf(wide) ?? {};
  const further = Object.entries(propertiesOf(narrow) ?? {}).filter(([name]) => !Object.hasOwn(listed, name));
  return [...further.map(([, one]) => one), narrow['additionalProperties'] ?? true].every((one) =>
    admitsAll(comparing, value, one),
  );
}

/** `items` concerns what follows `prefixItems`; a list of schemas, as in draft-07, must be the same. */
function holdsItems({ wide, value, narrow, comparing }: KeywordComparison): boolean {
  if (!isSameKeyword('prefixItems', wide, narrow)) return false;
  const own = narrow['items'] ?? true;
  return Array.isArray(value) || Array.isArray(own)
    ? isSameKeyword('items', wide, narrow)
    : admitsAll(comparing, value, own);
}
