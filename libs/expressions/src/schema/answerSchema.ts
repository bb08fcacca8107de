/**
 * The schema with which a caller types a part of the answer, in an argument: of `http/get` it is `output`, and it types
 * `body`. The input schema of the tool says so, with a keyword at that argument: `"x-baton-types": "body"`.
 */
import { isObject, type Json, type JsonObject, type JsonSchema } from '@baton/primitives';

import { isShorthand, schemaOf } from './written.ts';

export const typesAnswer = 'x-baton-types';

export interface AnswerSchema {
  /** The argument that holds the schema. */
  readonly argument: string;
  /** The field of the structured answer that must fit it. */
  readonly field: string;
  readonly schema: JsonSchema;
}

/** Undefined: the tool has no such argument, or the caller does not give it. */
export function answerSchemaOf(inputSchema: JsonSchema | undefined, args: Json): AnswerSchema | undefined {
  const typed = typingArgument(inputSchema);
  const { [typed?.argument ?? '']: written } = isObject(args) ? args : {};
  return typed && isObject(written) ? { ...typed, schema: openSchemaOf(written) } : undefined;
}

/** The argument of a tool that types a field of its answer. */
export function typingArgument(inputSchema: JsonSchema | undefined): Omit<AnswerSchema, 'schema'> | undefined {
  const properties = isObject(inputSchema) && isObject(inputSchema['properties']) ? inputSchema['properties'] : {};
  for (const [argument, property] of Object.entries(properties)) {
    const field = isObject(property) ? property[typesAnswer] : undefined;
    if (typeof field === 'string') return { argument, field };
  }
  return undefined;
}

/** In the shorthand too, an answer may have more than is listed: its server goes on being developed. */
function openSchemaOf(written: JsonObject): JsonSchema {
  const schema = schemaOf(written);
  if (!isObject(schema) || !isShorthand(written)) return schema;
  const { additionalProperties: _closed, ...open } = schema;
  return open;
}
