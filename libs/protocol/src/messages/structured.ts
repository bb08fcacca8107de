/**
 * Checks the `structuredContent` of a tool's result against the output schema of the tool (MCP 2025-06-18 and later).
 *
 * Some servers send an empty object when they have nothing (seed 004); without a schema it counts as no content.
 */
import { type AnswerSchema, usableSchema, validator } from '@baton/expressions';
import { type Json, type JsonObject, type JsonSchema, isObject } from '@baton/primitives';

import type { CheckedResult } from './content.ts';

/** Ignores the parts of a schema that cannot be used. `written`: what the caller says of the answer. */
export function checkStructured(
  result: JsonObject,
  outputSchema: JsonObject | undefined,
  written?: AnswerSchema,
): CheckedResult {
  const declared = checkDeclared(result, outputSchema);
  if (written === undefined || 'problem' in declared || result['isError'] === true) return declared;
  const { structuredContent } = declared.result;
  const { argument, field, schema } = written;
  const value =
    isObject(structuredContent) && Object.hasOwn(structuredContent, field) ? structuredContent[field] : null;
  const problem = unfitIn(value ?? null, schema);
  if (problem === undefined) return declared;
  return { problem: `"${field}" does not fit the schema in the argument "${argument}"${problem}` };
}

function checkDeclared(result: JsonObject, outputSchema: JsonObject | undefined): CheckedResult {
  const { structuredContent: given, ...rest } = result;
  // PHP writes an empty object as an empty list.
  const isEmptyList = Array.isArray(given) && given.length === 0 && outputSchema?.['type'] === 'object';
  const structuredContent = isEmptyList ? {} : given;
  if (outputSchema === undefined) return { result: isEmpty(structuredContent) ? rest : result };
  if (result['isError'] === true) return { result };
  const { validate } = validator(usableSchema(outputSchema).schema);
  if (validate === undefined) return { result };
  if (structuredContent === undefined)
    return { problem: 'the tool declares what it answers, and "structuredContent" is missing' };
  const problem = unfitIn(structuredContent, outputSchema);
  if (problem === undefined) return { result: isEmptyList ? { ...rest, structuredContent } : result };
  return { problem: `"structuredContent" does not fit the tool’s output schema${problem}` };
}

/** Where and why, as the end of a sentence; undefined: it fits, or the schema cannot be used. */
export function unfitIn(value: Json, schema: JsonSchema): string | undefined {
  const [error, ...more] = validator(usableSchema(schema).schema).validate?.(value) ?? [];
  if (error === undefined) return undefined;
  const at = error.pointer === '' ? '' : ` at ${error.pointer.slice(0, 80)}`;
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
  return `${at}: ${error.message.replace(/\.$/, '')}${others}`;
}

const isEmpty = (value: Json | undefined): boolean =>
  Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
