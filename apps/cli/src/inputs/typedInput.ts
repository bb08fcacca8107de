/** What is typed on a command line or into a prompt, as the value that a schema asks for. */
import type { Json, JsonObject, JsonSchema } from '@baton/language';

export type TypedInput = { readonly value: Json } | { readonly problem: string };

/** Text stays text unless the schema wants something else; without a schema, what reads as JSON is JSON. */
export function typedInput(text: string, schema: JsonSchema | undefined): TypedInput {
  const types = typesOf(schema);
  if (types === undefined) return { value: parsed(text) ?? text };
  const value = parsed(text);
  if (value !== undefined && types.has(typeOf(value)) && typeOf(value) !== 'string') return exact(text, value);
  if (types.has('string')) return { value: text };
  // `number` stands beside `integer` only because JSON has no other.
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

/** A number that JavaScript would round is not what was typed. */
function exact(text: string, value: Json): TypedInput {
  const isRounded = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(text.trim());
  return isRounded ? { problem: `is ${shown(text)}, which is too large for a number` } : { value };
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** `integer` counts as `number`: whether it fits is for the schema to say. */
function typeOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

/** Undefined: any. */
function typesOf(schema: JsonSchema | undefined): ReadonlySet<string> | undefined {
  if (schema === undefined || typeof schema === 'boolean') return undefined;
  const { type, enum: values, anyOf, oneOf } = schema;
  if (typeof type === 'string') return withNumber([type]);
  if (Array.isArray(type)) return withNumber(type as readonly string[]);
  if ('const' in schema) return new Set([typeOf(schema['const'] ?? null)]);
  if (Array.isArray(values)) return new Set((values as readonly Json[]).map(typeOf));
  const choices = anyOf ?? oneOf;
  if (!Array.isArray(choices)) return undefined;
  const sets = (choices as readonly JsonObject[]).map(typesOf);
  return sets.includes(undefined) ? undefined : new Set(sets.flatMap((one) => [...(one ?? [])]));
}

const withNumber = (types: readonly string[]): ReadonlySet<string> =>
  new Set(types.includes('integer') ? [...types, 'number'] : types);
