/** Checks the schema with which a call types a part of its answer, such as `output` of `http/get`. */
import {
  type Type,
  answerSchemaOf,
  childOf,
  types,
  typeOfResult,
  typingArgument,
  usableSchema,
} from '@baton/expressions';
import { type JsonObject, type JsonSchema, isObject } from '@baton/primitives';

import type { GivenValue } from '../fit/fitValue.ts';
import type { CheckRun } from './checkRun.ts';
import { checkSchema } from './schema.ts';

/** The type of the answer, of which `declared` is what its tool says. */
export function writtenAnswer(
  checking: CheckRun,
  inputSchema: JsonSchema | undefined,
  { value, pointer, types: computed }: GivenValue,
  declared: Type,
): Type {
  const typed = typingArgument(inputSchema);
  if (typed === undefined || pointer === undefined || !isObject(value)) return declared;
  const at = childOf(pointer, typed.argument);
  const within = [...computed.keys()].find((one) => one === at || one.startsWith(`${at}/`));
  if (within !== undefined) {
    const message = 'The schema of an answer is written out: what it says of the answer is proved before the run.';
    checking.report({
      code: 'schema-invalid',
      pointer: within,
      message,
      expected: 'a JSON Schema without expressions',
    });
    return declared;
  }
  const written = answerSchemaOf(inputSchema, value);
  if (written === undefined) return declared;
  checkSchema(checking, value[typed.argument] as JsonObject, at);
  return withField(declared, written.field, typeOfResult(usableSchema(written.schema).schema));
}

function withField(declared: Type, field: string, type: Type): Type {
  if (declared.kind === 'any') return types.map({ [field]: type }, declared);
  if (declared.kind !== 'map') return declared;
  return { ...declared, fields: new Map([...declared.fields, [field, { type }]]) };
}
