/**
 * Generates a value for a JSON Schema, always the same one and without search. It ignores `pattern`, `not` and conditions,
 * so for some schemas the value does not fit.
 */
import { type Json, type JsonObject, type JsonSchema, isObject } from '@baton/primitives';

const depthMax = 16;

export function instanceOf(schema: JsonSchema | undefined): Json {
  return make(schema ?? true, { root: schema ?? true, depth: 0, nth: 0 });
}

interface InstancePlace {
  readonly root: JsonSchema;
  readonly depth: number;
  /** Position in a list whose items must differ; else 0. */
  readonly nth: number;
}

function make(given: JsonSchema, at: InstancePlace): Json {
  if (typeof given === 'boolean' || at.depth > depthMax) return null;
  const schema = flattened(given, at);
  if ('const' in schema) return schema['const'] ?? null;
  const choices = [schema['enum'], 'default' in schema ? [schema['default'] ?? null] : undefined, schema['examples']];
  const choice = choices.find((one) => isList(one) && one.length > 0);
  if (isList(choice)) return choice[at.nth % choice.length] ?? null;
  switch (typeOf(schema)) {
    case 'object':
      return objectOf(schema, at);
    case 'array':
      return listOf(schema, at);
    case 'string':
      return textOf(schema, at);
    case 'number':
    case 'integer':
      return numberOf(schema, at);
    case 'boolean':
      return at.nth % 2 === 0;
    default:
      return null;
  }
}

/** Merges `$ref`, `allOf` and the first of `anyOf` and `oneOf` into the schema. */
function flattened(schema: JsonObject, at: InstancePlace, hops = 0): JsonObject {
  const { $ref, allOf, anyOf, oneOf, ...own } = schema;
  const drawn = [
    typeof $ref === 'string' ? target($ref, at.root) : undefined,
    ...(isList(allOf) ? allOf : []),
    isList(anyOf) ? anyOf[0] : undefined,
    isList(oneOf) ? oneOf[0] : undefined,
  ].filter((one) => isObject(one));
  if (hops > depthMax) return own;
  return drawn.map((one) => flattened(one, at, hops + 1)).reduce(merged, own);
}

function merged(one: JsonObject, other: JsonObject): JsonObject {
  const properties = { ...asObject(other['properties']), ...asObject(one['properties']) };
  const required = [...asList(one['required']), ...asList(other['required'])];
  return {
    ...other,
    ...one,
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** Resolves a reference within the schema. */
function target(reference: string, root: JsonSchema): Json | undefined {
  if (!reference.startsWith('#')) return undefined;
  let at: Json | undefined = root;
  for (const segment of reference.slice(1).split('/').slice(1)) {
    const key = decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~');
    at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

function typeOf(schema: JsonObject): string | undefined {
  const type = isList(schema['type']) ? schema['type'].find((one) => one !== 'null') : schema['type'];
  if (typeof type === 'string') return type;
  if ('properties' in schema || 'required' in schema) return 'object';
  if ('items' in schema || 'prefixItems' in schema) return 'array';
  if ('minLength' in schema || 'pattern' in schema || 'format' in schema) return 'string';
  return 'minimum' in schema || 'maximum' in schema ? 'number' : undefined;
}

function objectOf(schema: JsonObject, at: InstancePlace): Json {
  const properties = asObject(schema['properties']);
  const required = asList(schema['required']).filter((one) => typeof one === 'string');
  const rest = asSchema(schema['additionalProperties']) ?? true;
  // Deep down only required properties: a schema that refers to itself would not end.
  const optional = at.depth > depthMax / 2 ? [] : Object.keys(properties);
  return Object.fromEntries(
    [...new Set([...required, ...optional])].map((name) => [
      name,
      make(asSchema(properties[name]) ?? rest, deeper(at)),
    ]),
  );
}

function listOf(schema: JsonObject, at: InstancePlace): Json {
  const prefix = asList(schema['prefixItems']);
  const items = asSchema(schema['items']);
  const wanted = Math.max(
    numberAt(schema, 'minItems') ?? 0,
    items === undefined || items === false ? prefix.length : 1,
  );
  const length = Math.min(wanted, numberAt(schema, 'maxItems') ?? wanted, at.depth > depthMax / 2 ? 0 : 1_000);
  const mustDiffer = schema['uniqueItems'] === true;
  return Array.from({ length }, (_, nth) =>
    make(asSchema(prefix[nth]) ?? items ?? true, { ...deeper(at), nth: mustDiffer ? nth : 0 }),
  );
}

const formats: Readonly<Record<string, string>> = {
  date: '2000-01-01',
  'date-time': '2000-01-01T00:00:00Z',
  time: '00:00:00Z',
  duration: 'PT1S',
  email: 'someone@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  'uri-reference': '/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

function textOf(schema: JsonObject, { nth }: InstancePlace): string {
  const format = typeof schema['format'] === 'string' ? formats[schema['format']] : undefined;
  const text = format ?? (nth === 0 ? 'text' : `text ${nth + 1}`);
  return text.padEnd(numberAt(schema, 'minLength') ?? 0, '.').slice(0, numberAt(schema, 'maxLength') ?? Infinity);
}

function numberOf(schema: JsonObject, { nth }: InstancePlace): number {
  const isWhole = typeOf(schema) === 'integer';
  const step = numberAt(schema, 'multipleOf') ?? (isWhole ? 1 : undefined);
  const above = numberAt(schema, 'exclusiveMinimum');
  const below = numberAt(schema, 'exclusiveMaximum');
  const least =
    numberAt(schema, 'minimum') ?? (above === undefined ? undefined : above + (step ?? smallest(above, below)));
  const most =
    numberAt(schema, 'maximum') ?? (below === undefined ? undefined : below - (step ?? smallest(above, below)));
  const start = least ?? Math.min(0, most ?? 0);
  if (step === undefined) return Math.min(start + nth, most ?? Infinity);
  const first = (least === undefined ? Math.floor(start / step) : Math.ceil(start / step)) * step;
  const here = first + nth * step;
  return most !== undefined && here > most ? first : here;
}

const smallest = (above = 0, below = above + 2): number => Math.min(1, (below - above) / 2);

const deeper = (at: InstancePlace): InstancePlace => ({ ...at, depth: at.depth + 1, nth: 0 });
const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
const asList = (value: Json | undefined): readonly Json[] => (isList(value) ? value : []);
const asObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
const asSchema = (value: Json | undefined): JsonSchema | undefined =>
  typeof value === 'boolean' || isObject(value) ? value : undefined;
const numberAt = (schema: JsonObject, key: string): number | undefined =>
  typeof schema[key] === 'number' ? schema[key] : undefined;
