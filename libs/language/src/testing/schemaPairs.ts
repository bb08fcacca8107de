/** Random schemas, changed ones, and values of them, for the proof that a workflow can go on with a changed tool. */
import { schemasIn, validator } from '@baton/expressions';
import { isObject, type Json, type JsonObject, type JsonSchema } from '@baton/primitives';
import * as fc from 'fast-check';

/** Names of members; some are names of keywords, too. */
export const anyNames = ['a', 'b', 'title', 'default'];
const names = anyNames;

const scalars: readonly Json[] = ['', 'a', 'abc', 0, 1, 7, 1.5, true, null];
const anyScalar = fc.constantFrom(...scalars);

const optionally = <Value>(value: fc.Arbitrary<Value>, freq = 4): fc.Arbitrary<Value | undefined> =>
  fc.option(value, { nil: undefined, freq });

/** A schema without the keywords whose arbitrary gave nothing. */
const keywords = (of: Readonly<Record<string, fc.Arbitrary<Json | undefined>>>): fc.Arbitrary<JsonObject> =>
  fc
    .record(of)
    .map((made) => Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)) as JsonObject);

const small = fc.nat(3);
const isRare = fc.constant(true);

const anyScalarSchema = keywords({
  type: optionally(
    fc.constantFrom<Json>('string', 'integer', 'number', 'boolean', 'null', ['string', 'null'], ['integer', 'string']),
    8,
  ).map((one) => one ?? 'string'),
  nullable: optionally(fc.boolean()),
  minLength: optionally(small),
  maxLength: optionally(small),
  minimum: optionally(small),
  exclusiveMaximum: optionally(small.map((one) => one + 2)),
  pattern: optionally(fc.constantFrom('^a', 'c$')),
  enum: optionally(fc.uniqueArray(anyScalar, { minLength: 1, maxLength: 4 })),
  const: optionally(anyScalar),
  default: optionally(anyScalar),
  multipleOf: optionally(fc.constantFrom(1, 2)),
  odd: optionally(fc.constantFrom<Json>(true, { a: { type: 'string' } })),
});

const { schema: innerSchema, map: mapSchema } = fc.letrec<{
  schema: Json;
  scalar: JsonObject;
  list: JsonObject;
  map: JsonObject;
  mixed: JsonObject;
}>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    { arbitrary: tie('scalar'), weight: 5 },
    { arbitrary: tie('map'), weight: 4 },
    { arbitrary: tie('list'), weight: 4 },
    { arbitrary: tie('mixed'), weight: 2 },
    {
      arbitrary: fc.constantFrom<Json>({}, true, { $ref: '#/$defs/one' }, { $ref: '#/$defs/one', maxLength: 1 }),
      weight: 1,
    },
  ),
  scalar: anyScalarSchema,
  list: keywords({
    type: optionally(fc.constant('array'), 2).map((one) => one ?? 'array'),
    nullable: optionally(fc.boolean()),
    items: optionally(tie('schema'), 1),
    minItems: optionally(small, 2),
    maxItems: optionally(small),
    uniqueItems: optionally(isRare),
    prefixItems: optionally(fc.array(tie('schema'), { minLength: 1, maxLength: 2 })),
    contains: optionally(tie('scalar')),
    minContains: optionally(small),
    maxContains: optionally(small),
    unevaluatedItems: optionally(fc.constant(false)),
  }),
  map: keywords({
    type: fc.constant('object'),
    nullable: optionally(fc.boolean()),
    properties: optionally(fc.dictionary(fc.constantFrom(...names), tie('schema'), { maxKeys: 3 }), 1),
    required: optionally(fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }), 1),
    additionalProperties: optionally(fc.oneof(fc.boolean(), tie('schema')), 2),
    minProperties: optionally(small),
    maxProperties: optionally(small),
    patternProperties: optionally(
      fc.dictionary(fc.constantFrom('^t', 'title'), tie('schema'), { minKeys: 1, maxKeys: 1 }),
    ),
    propertyNames: optionally(fc.constantFrom<Json>({ maxLength: 1 }, { pattern: '^[a-t]' })),
    dependentRequired: optionally(fc.constantFrom<Json>({ a: ['b'] }, { title: ['a'] })),
    dependentSchemas: optionally(fc.constantFrom<Json>({ a: { required: ['b'] } }, { title: { maxProperties: 1 } })),
    unevaluatedProperties: optionally(fc.constant(false)),
    default: optionally(fc.constant({})),
    odd: optionally(fc.constantFrom<Json>(true, { a: { type: 'string' } })),
  }),
  mixed: fc.oneof(
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf): JsonObject => ({ anyOf })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 2 }).map((oneOf): JsonObject => ({ oneOf })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 2 }).map((allOf): JsonObject => ({ allOf })),
    tie('scalar').map((not): JsonObject => ({ not })),
    fc.tuple(tie('schema'), tie('schema')).map(([test, other]): JsonObject => ({ if: test, else: other })),
  ),
}));

const dialects = ['http://json-schema.org/draft-07/schema#', 'https://json-schema.org/draft/2020-12/schema'];

const documentOf = (schema: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> =>
  fc
    .tuple(schema, innerSchema, optionally(fc.constantFrom(...dialects)))
    .map(([root, one, $schema]) => ({ ...root, $defs: { one }, ...($schema === undefined ? {} : { $schema }) }));

/** A change of one schema inside a document. */
interface SchemaEdit {
  readonly at: number;
  readonly keyword: number;
  readonly kind: 'drop' | 'replace' | 'borrow' | 'limit' | 'loosen' | 'tighten' | 'member' | 'default';
  readonly other: Json;
}

const anyEdit: fc.Arbitrary<SchemaEdit> = fc.record({
  at: fc.nat(30),
  keyword: fc.nat(12),
  kind: fc.constantFrom('drop', 'drop', 'replace', 'borrow', 'limit', 'loosen', 'tighten', 'member', 'default'),
  other: innerSchema,
});

/** The document with one of its schemas changed. */
function edited(document: JsonObject, edit: SchemaEdit): JsonObject {
  const made = structuredClone(document) as Record<string, Json>;
  const places = [...schemasIn(made)].map(({ schema }) => schema as Record<string, Json>);
  const place = places[edit.at % places.length] ?? made;
  const present = Object.keys(place).filter((one) => place !== made || !['type', '$defs'].includes(one));
  const keyword = present[edit.keyword % Math.max(1, present.length)] ?? 'title';
  const value = place[keyword];
  const other = isObject(edit.other) ? edit.other : {};
  switch (edit.kind) {
    case 'drop':
      delete place[keyword];
      break;
    case 'replace':
      if (place !== made) for (const one of Object.keys(place)) delete place[one];
      Object.assign(place, other, place === made ? { type: 'object' } : {});
      break;
    case 'borrow': {
      const [borrowed] = Object.entries(other).slice(edit.keyword % Math.max(1, Object.keys(other).length));
      if (borrowed !== undefined && !(place === made && borrowed[0] === 'type')) place[borrowed[0]] = borrowed[1];
      break;
    }
    case 'limit':
      place[keyword] = typeof value === 'number' ? value + (edit.at % 3) - 1 : (value ?? true);
      break;
    case 'loosen':
      if (Array.isArray(place['required'])) place['required'] = (place['required'] as readonly Json[]).slice(1);
      else if (place !== made) place['nullable'] = true;
      break;
    case 'tighten':
      if (isObject(place['properties']))
        place['required'] = Object.keys(place['properties']).slice(0, edit.keyword % 3);
      break;
    case 'default':
      place['default'] = scalars[edit.keyword % scalars.length] ?? null;
      break;
    case 'member':
      if (place['type'] === 'object')
        place['properties'] = {
          ...(place['properties'] as JsonObject),
          [names[edit.keyword % names.length] ?? 'a']: edit.other,
        };
      break;
  }
  return made;
}

export interface DocumentPair {
  readonly before: JsonObject;
  readonly now: JsonObject;
}

/** The schema, and one that differs from it in a few places. */
const pairOf = (document: fc.Arbitrary<JsonObject>, editsMax: number): fc.Arbitrary<DocumentPair> =>
  fc
    .tuple(documentOf(document), fc.array(anyEdit, { minLength: 1, maxLength: editsMax }))
    .map(([before, edits]) => ({ before, now: edits.reduce(edited, before) }));

/** Of an object. */
export const anyPair = pairOf(mapSchema, 3);

const plainMap = keywords({
  type: fc.constant('object'),
  properties: fc.dictionary(fc.constantFrom(...names), innerSchema, { minKeys: 1, maxKeys: 3 }),
  required: optionally(fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 2 })),
});

/** Of arguments as most tools take them, and of any object. */
export const anyArgumentsPair = fc.oneof(
  { arbitrary: pairOf(plainMap, 2), weight: 3 },
  { arbitrary: anyPair, weight: 1 },
);

/** A schema of any value, without references. */
export const anySchema: fc.Arbitrary<Json> = innerSchema.filter((one) => !JSON.stringify(one).includes('$ref'));

/** Values that fit the schema, few where it takes few. */
export function valuesOf(schema: JsonSchema, seed: number, count: number): readonly Json[] {
  const { validate } = validator(schema);
  if (validate === undefined) return [];
  const random = randomOf(seed);
  const made = Array.from({ length: count }, () => sample(schema, { root: schema, random, depth: 0 }));
  const unique = [...new Map(made.map((one) => [JSON.stringify(one), one])).values()];
  return unique.filter((one) => validate(one).length === 0);
}

/** Numbers from 0 to below 1 (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Sampling {
  readonly root: Json;
  readonly random: () => number;
  readonly depth: number;
}

/** A value that probably fits. */
function sample(schema: Json | undefined, { root, random, depth }: Sampling): Json {
  const pick = <Value>(all: readonly Value[]): Value | undefined => all[Math.floor(random() * all.length)];
  const inside = (one: Json | undefined): Json => sample(one, { root, random, depth: depth + 1 });
  const free = (): Json =>
    pick<Json>(['', 'a', 'abc', 'cc', 0, 1, 2, 7, 1.5, -1, true, null, [], {}, ['a'], { a: 1 }]) ?? null;
  if (!isObject(schema) || depth > 6 || random() < 0.04) return free();
  const { enum: values, const: constant, anyOf, oneOf, allOf, $ref, type } = schema;
  if (constant !== undefined) return constant;
  if (Array.isArray(values)) return (pick(values) as Json | undefined) ?? null;
  if (schema['nullable'] === true && random() < 0.3) return null;
  for (const choices of [anyOf, oneOf, allOf])
    if (Array.isArray(choices) && random() < 0.9) return inside(pick(choices) as Json | undefined);
  if ($ref === '#/$defs/one' && isObject(root) && isObject(root['$defs'])) return inside(root['$defs']['one']);
  switch (pick([type].flat())) {
    case 'string':
      return pick(['', 'a', 'ab', 'abc', 'c', 'ac', 'aaaaa']) ?? '';
    case 'integer':
      return Math.floor(random() * 8) - 1;
    case 'number':
      return pick([0, 1, 1.5, 2.5, 3, 4, -2, 7]) ?? 0;
    case 'boolean':
      return random() < 0.5;
    case 'null':
      return null;
    case 'array':
      return sampleList(schema, random, inside);
    case 'object':
      return sampleMap(schema, random, inside);
    default:
      return free();
  }
}

function sampleList(schema: JsonObject, random: () => number, inside: (one: Json | undefined) => Json): Json {
  const { prefixItems, items, minItems, contains } = schema;
  const first = Array.isArray(prefixItems) ? (prefixItems as readonly Json[]) : [];
  const length = (typeof minItems === 'number' ? minItems : 0) + Math.floor(random() * 3);
  return Array.from({ length }, (_, i) =>
    inside(contains !== undefined && random() < 0.4 ? contains : (first[i] ?? items)),
  );
}

function sampleMap(schema: JsonObject, random: () => number, inside: (one: Json | undefined) => Json): Json {
  const { properties, required, additionalProperties, patternProperties } = schema;
  const listed: JsonObject = isObject(properties) ? properties : {};
  const needed: readonly Json[] = Array.isArray(required) ? required : [];
  const patterns = isObject(patternProperties) ? Object.values(patternProperties) : [];
  const more = additionalProperties === false ? [] : ['other', ...names];
  const chance = pickChance(random);
  const all = [...new Set([...Object.keys(listed), ...more])].filter(
    (name) => needed.includes(name) || random() < chance,
  );
  return Object.fromEntries(
    [...new Set([...needed.map(String), ...all])].map((name): [string, Json] => [
      name,
      inside(Object.hasOwn(listed, name) ? listed[name] : (patterns[0] ?? additionalProperties)),
    ]),
  );
}

/** Some maps have nothing that they need not have, and some have all. */
const pickChance = (random: () => number): number => [0, 0.3, 0.6, 1][Math.floor(random() * 4)] ?? 0.5;
