/**
 * The part of a server's schema that Baton can check values against. What it cannot check is named, with the place and
 * the reason, and taken on trust; the rest is checked.
 */
import { isObject, type Json, type JsonObject, type JsonSchema } from '@baton/primitives';

import { compilePattern } from '../pattern/pattern.ts';
import { quoted } from '../source/excerpt.ts';
import { childOf } from '../source/pointer.ts';
import { refusalOf } from './schemaCost.ts';
import { resolved } from './schemaType.ts';
import { type TrustedPart, soundSchema } from './soundSchema.ts';
import { validator } from './validator.ts';
import { vocabulary } from './vocabulary.ts';
import { schemasIn } from './walk.ts';

export interface UsableSchema {
  /** `true` if nothing of the schema can be used. */
  readonly schema: JsonSchema;
  readonly trusted: readonly TrustedPart[];
}

const known = new WeakMap<object, UsableSchema>();

export function usableSchema(sent: JsonSchema): UsableSchema {
  if (!isObject(sent)) return { schema: sent, trusted: [] };
  const usable = known.get(sent) ?? readUsable(sent);
  known.set(sent, usable);
  return usable;
}

function readUsable(sent: JsonObject): UsableSchema {
  const { schema: sound, trusted } = soundSchema(sent);
  const whole = refusalOf(sound);
  if (whole?.pointer === '') return { schema: true, trusted: [{ pointer: '', why: whole.why }] };
  const unusable = [...schemasIn(sound)].flatMap((place) => unusableIn(place.schema, place.pointer, sound));
  const schema = unusable.length === 0 ? sound : without(sound, '', new Set(unusable.map(({ pointer }) => pointer)));
  const { refusal } = validator(schema as JsonSchema);
  if (refusal !== undefined) return { schema: true, trusted: [{ pointer: '', why: refusal }] };
  return { schema: schema as JsonSchema, trusted: [...trusted, ...unusable.filter(({ why }) => why !== '')] };
}

/** Keywords that go without a word, since no value is refused for lack of them, and the validator misreads them. */
const silent = '';

/** What Baton cannot use of one schema, its inner ones aside. */
function unusableIn(schema: JsonObject, pointer: string, root: JsonObject): TrustedPart[] {
  const { pattern, patternProperties, $ref, type } = schema;
  const found: TrustedPart[] = [];
  const add = (keyword: string, why: string): number => found.push({ pointer: childOf(pointer, keyword), why });
  if (typeof pattern === 'string') {
    const compiled = compilePattern(pattern);
    if (typeof compiled === 'string') add('pattern', sentence(compiled));
  }
  for (const one of Object.keys(isObject(patternProperties) ? patternProperties : {})) {
    const compiled = compilePattern(one);
    const place = childOf(childOf(pointer, 'patternProperties'), one);
    if (typeof compiled === 'string') found.push({ pointer: place, why: sentence(compiled) });
  }
  if (typeof $ref === 'string' && !$ref.startsWith('#'))
    add('$ref', 'It refers to a schema elsewhere, which is never fetched.');
  else if (typeof $ref === 'string' && !leadsSomewhere($ref, root))
    add('$ref', `It refers to ${quoted($ref)}, which is not in the schema.`);
  for (const keyword of ['$dynamicRef', '$recursiveRef'])
    if (keyword in schema) add(keyword, 'It is a dynamic reference.');
  if (schema['nullable'] !== undefined && type === undefined) add('nullable', silent);
  for (const [keyword, value] of Object.entries(schema)) {
    const isOther = !vocabulary.has(keyword) && !others.has(keyword);
    if (isOther && typeof value === 'object' && !isReferredTo(childOf(pointer, keyword), root)) add(keyword, silent);
  }
  if (schema['$async'] !== undefined) add('$async', silent);
  const forbidden = forbiddenIn(schema);
  if (forbidden !== undefined) add('additionalProperties', `It forbids ${quoted(forbidden)}, which is required.`);
  return found;
}

/** Keywords of later drafts and of OpenAPI that the validator knows. */
const others: ReadonlySet<string> = new Set([
  'nullable',
  '$dynamicAnchor',
  '$dynamicRef',
  '$recursiveRef',
  '$recursiveAnchor',
]);

/** Schemas may be kept under any keyword, such as `components`. */
const isReferredTo = (pointer: string, root: JsonObject): boolean =>
  [...schemasIn(root)].some(
    ({ schema: { $ref } }) => typeof $ref === 'string' && `${$ref}/`.startsWith(`#${pointer}/`),
  );

/** A name that the schema both requires and forbids: no value would fit. */
function forbiddenIn({
  required,
  properties,
  patternProperties,
  additionalProperties,
}: JsonObject): string | undefined {
  if (additionalProperties !== false || patternProperties !== undefined || !Array.isArray(required)) return undefined;
  const described = isObject(properties) ? properties : {};
  return (required as readonly string[]).find((name) => !Object.hasOwn(described, name));
}

const sentence = (why: string): string => `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;

function leadsSomewhere($ref: string, root: JsonObject): boolean {
  const isAnchor = /^#[^/]/.test($ref);
  if (!isAnchor) return isSchema(resolved($ref, root));
  return [...schemasIn(root)].some(({ schema }) =>
    [schema['$anchor'], schema['$dynamicAnchor'], anchorIn(schema['$id'])].includes($ref.slice(1)),
  );
}

/** In draft-07 an anchor is an id that begins with `#`. */
const anchorIn = (id: Json | undefined): string | undefined =>
  typeof id === 'string' && id.startsWith('#') ? id.slice(1) : undefined;

const isSchema = (value: Json | undefined): boolean => isObject(value) || typeof value === 'boolean';

/** A copy without the values at these places. */
function without(value: Json, pointer: string, places: ReadonlySet<string>): Json {
  if (Array.isArray(value)) return value.map((one: Json, at) => without(one, childOf(pointer, at), places));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !places.has(childOf(pointer, key)));
  return Object.fromEntries(kept.map(([key, one]) => [key, without(one, childOf(pointer, key), places)]));
}
