/**
 * Converts the parameters of a device's service (seed 000) into a JSON Schema, which they nearly are.
 *
 * Only `type` differs: it may name several types, as in `string|number`. All other words (`required`, `enum`,
 * `minimum`, `maximum`, `minLength`, `maxLength`, and words that the seed does not name) mean what they mean in JSON
 * Schema.
 */
import { validator } from '@baton/expressions';
import { type Json, type JsonObject, isObject } from '@baton/primitives';

const typeNames = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']);
const forbiddenKeys = new Set(['__proto__', 'prototype', 'constructor']);

/** `problem`: the end of a sentence. */
export type ParameterSchema = { readonly schema: JsonObject } | { readonly problem: string };

export function parameterSchema(parameters: Json | undefined): ParameterSchema {
  if (parameters === undefined || parameters === null) return { schema: { type: 'object', properties: {} } };
  if (!isObject(parameters)) return { problem: 'its parameters are no object' };
  const problems: string[] = [];
  const schema = rewritten({ type: 'object', ...parameters }, problems);
  const [problem] = problems;
  if (problem !== undefined) return { problem };
  if (schema['type'] !== 'object') return { problem: 'its parameters are not of type "object"' };
  const { refusal } = validator(schema);
  return refusal === undefined ? { schema } : { problem: `its parameters are no JSON Schema. ${refusal}` };
}

function rewritten(schema: JsonObject, problems: string[]): JsonObject {
  const inner = (value: Json): Json => (isObject(value) ? rewritten(value, problems) : value);
  return Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]): [string, Json][] => {
      if (keyword === 'type') return typesOf(value, problems);
      if (keyword === 'properties' && isObject(value)) {
        return [
          [keyword, Object.fromEntries(Object.entries(value).map(([name, one]) => property(name, one, problems)))],
        ];
      }
      if (keyword === 'items' || keyword === 'additionalProperties' || keyword === 'not')
        return [[keyword, inner(value)]];
      if (['anyOf', 'oneOf', 'allOf'].includes(keyword) && Array.isArray(value)) {
        return [[keyword, (value as readonly Json[]).map(inner)]];
      }
      return [[keyword, value]];
    }),
  );
}

function property(name: string, schema: Json, problems: string[]): [string, Json] {
  if (forbiddenKeys.has(name)) problems.push(`the name "${name}" is not allowed for a parameter`);
  return [name, isObject(schema) ? rewritten(schema, problems) : schema];
}

/** `any` says nothing. */
function typesOf(value: Json, problems: string[]): [string, Json][] {
  if (typeof value !== 'string') return [['type', value]];
  const names = [...new Set(value.split('|').map((name) => name.trim()))];
  if (names.includes('any')) return [];
  const unknown = names.find((name) => !typeNames.has(name));
  if (unknown !== undefined) problems.push(`there is no type "${unknown.slice(0, 80)}"`);
  const [only] = names;
  return [['type', names.length === 1 && only !== undefined ? only : names]];
}
