/** Converts typed text into the value that a schema requires. */
import { type JsonFault, readJson } from '@baton/expressions';
import { type Json, type JsonObject, type JsonSchema, jsonTypeOf } from '@baton/primitives';

/** An input that the user did not give, and is asked for. */
export interface MissingInput {
  readonly name: string;
  readonly schema: JsonSchema;
  /** It can be left out. */
  readonly isOptional?: true;
}

export type TypedInput = { readonly value: Json } | { readonly problem: string };

/** Text stays text unless the schema requires another type; without a schema, text that is JSON becomes JSON. */
export function typedInput(text: string, schema: JsonSchema | undefined): TypedInput {
  const types = typesOf(schema);
  const reading = readJson(text, 'The value');
  const value = 'value' in reading ? reading.value : undefined;
  const problem = 'faults' in reading ? problemOf(text, reading.faults[0]) : undefined;
  if (problem !== undefined && types?.has('string') !== true) return { problem };
  if (types === undefined) return { value: value ?? text };
  if (value !== undefined && types.has(jsonTypeOf(value)) && jsonTypeOf(value) !== 'string') return { value };
  if (types.has('string')) return { value: text };
  // A schema lists `number` beside `integer` only because JSON has one number type.
  const said = [...types].filter((type) => type !== 'number' || !types.has('integer'));
  return { problem: `must be ${said.map((type) => articles[type] ?? type).join(' or ')}, and is ${shown(text)}` };
}

const articles: Readonly<Record<string, string>> = {
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'a JSON object',
  array: 'a JSON list',
  null: 'null',
};

const shown = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text);

/** Undefined: the text is no JSON, but a text. */
function problemOf(text: string, { code, message, pointer = '' }: JsonFault): string | undefined {
  if (code === 'json-syntax') return undefined;
  return `is ${shown(text)}, which cannot be taken: ${pointer === '' ? '' : `${pointer}: `}${message.replace(/\.$/, '')}`;
}

/** Undefined: any type. */
function typesOf(schema: JsonSchema | undefined): ReadonlySet<string> | undefined {
  if (schema === undefined || typeof schema === 'boolean') return undefined;
  const { type, enum: values, anyOf, oneOf } = schema;
  if (typeof type === 'string') return withNumber([type]);
  if (Array.isArray(type)) return withNumber(type as readonly string[]);
  if ('const' in schema) return new Set([jsonTypeOf(schema['const'] ?? null)]);
  if (Array.isArray(values)) return new Set((values as readonly Json[]).map(jsonTypeOf));
  const choices = anyOf ?? oneOf;
  if (!Array.isArray(choices)) return undefined;
  const sets = (choices as readonly JsonObject[]).map(typesOf);
  return sets.includes(undefined) ? undefined : new Set(sets.flatMap((one) => [...(one ?? [])]));
}

const withNumber = (types: readonly string[]): ReadonlySet<string> =>
  new Set(types.includes('integer') ? [...types, 'number'] : types);
