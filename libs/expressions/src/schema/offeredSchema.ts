/**
 * A tool's schema as strict clients and providers of models take it: of JSON Schema 2020-12,
 * an object without alternatives at its root, and with parts only that can be compiled. One schema that they refuse
 * costs the whole list. Baton checks the arguments against the schema of the server.
 */
import { isObject, type Json, type JsonObject } from '@baton/primitives';

import { resolved } from './schemaType.ts';
import { usableSchema } from './usableSchema.ts';

export type OfferedSchema = JsonObject & { readonly type: 'object' };

const inputs = new WeakMap<object, OfferedSchema>();
const outputs = new WeakMap<object, { readonly schema: OfferedSchema | undefined }>();

/** Of arguments. */
export function offeredInput(sent: JsonObject): OfferedSchema {
  const offered = inputs.get(sent) ?? readInput(sent);
  inputs.set(sent, offered);
  return offered;
}

/** Of results; undefined where it does not say that they are objects, which older clients expect. */
export function offeredOutput(sent: JsonObject): OfferedSchema | undefined {
  const offered = outputs.get(sent) ?? { schema: readOutput(sent) };
  outputs.set(sent, offered);
  return offered.schema;
}

function readInput(sent: JsonObject): OfferedSchema {
  const schema = compilable(sent) ?? {};
  const { allOf, anyOf, oneOf, not: _not, enum: _enum, const: _const, $ref, ...rest } = schema;
  const isPlain = [allOf, anyOf, oneOf, $ref].every((one) => one === undefined);
  const { properties, required } = isPlain
    ? { properties: isObject(rest['properties']) ? rest['properties'] : undefined, required: namesOf(rest['required']) }
    : membersOf(schema, schema);
  return {
    ...rest,
    type: 'object',
    ...(properties === undefined ? {} : { properties: nameable(properties) }),
    ...(required.length === 0 ? {} : { required: required.filter(isNameable) }),
  };
}

function readOutput(sent: JsonObject): OfferedSchema | undefined {
  const schema = compilable(sent);
  return schema?.['type'] === 'object' ? { ...schema, type: 'object' } : undefined;
}

/** In the form of 2020-12, which most clients read without looking at `$schema`. Undefined: nothing of it. */
function compilable({ $schema: _schema, $id: _id, ...sent }: JsonObject): JsonObject | undefined {
  const { schema } = usableSchema(sent);
  return isObject(schema) ? (withoutForeignPatterns(schema) as JsonObject) : undefined;
}

/** RE2 has forms that other engines do not read. */
function withoutForeignPatterns(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutForeignPatterns);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([key, one]): [string, Json][] => {
    if (key === 'pattern' && typeof one === 'string' && !isPattern(one)) return [];
    if (key !== 'patternProperties' || !isObject(one)) return [[key, withoutForeignPatterns(one)]];
    const kept = Object.entries(one).filter(([pattern]) => isPattern(pattern));
    return [[key, Object.fromEntries(kept.map(([pattern, inner]) => [pattern, withoutForeignPatterns(inner)]))]];
  });
  return Object.fromEntries(entries);
}

function isPattern(source: string): boolean {
  try {
    void new RegExp(source, 'u');
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

interface Members {
  readonly properties: JsonObject;
  readonly required: readonly string[];
}

/** Of a schema and its alternatives, together: which of them fit together only the server knows. */
function membersOf(schema: Json | undefined, root: JsonObject, above: readonly unknown[] = []): Members {
  if (!isObject(schema) || above.includes(schema)) return { properties: {}, required: [] };
  const { $ref, allOf, anyOf, oneOf, properties, required } = schema;
  const inside = (one: Json | undefined): Members => membersOf(one, root, [...above, schema]);
  const all = [...listOf(allOf), ...(typeof $ref === 'string' ? [resolved($ref, root)] : [])].map(inside);
  const choices = [anyOf, oneOf].map((one) => listOf(one).map(inside));
  const found = new Map<string, Json[]>();
  const own: Members = { properties: isObject(properties) ? properties : {}, required: [] };
  for (const members of [own, ...all, ...choices.flat()]) {
    for (const [name, one] of Object.entries(members.properties)) found.set(name, [...(found.get(name) ?? []), one]);
  }
  const needed = [
    ...namesOf(required),
    ...all.flatMap((members) => members.required),
    ...choices.flatMap(([first, ...others]) =>
      (first?.required ?? []).filter((name) => others.every((other) => other.required.includes(name))),
    ),
  ];
  return {
    properties: Object.fromEntries([...found].map(([name, schemas]) => [name, oneOrAny(schemas)])),
    required: [...new Set(needed)],
  };
}

function oneOrAny(schemas: readonly Json[]): Json {
  const different = [...new Map(schemas.map((one) => [JSON.stringify(one), one])).values()];
  const [first = {}] = different;
  return different.length === 1 ? first : { anyOf: different };
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : []);
const namesOf = (value: Json | undefined): readonly string[] =>
  listOf(value).filter((one): one is string => typeof one === 'string');

/** Names of arguments that providers take. */
const isNameable = (name: string): boolean => /^[a-zA-Z0-9_.-]{1,64}$/.test(name);

/** The others can be sent all the same: the description of the tool may name them. */
const nameable = (properties: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => isNameable(name)));
