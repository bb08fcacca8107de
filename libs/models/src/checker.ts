import { FailureError } from '@baton/engine';
import { type Json, type JsonSchema, validator } from '@baton/language';

/**
 * Lists what is wrong with a value, a line each; none if it fits. Throws `invalid-arguments` if the schema is not
 * valid.
 */
export function checkerOf(schema: JsonSchema): (value: Json) => readonly string[] {
  const { validate, refusal } = validator(schema);
  if (validate === undefined) {
    throw new FailureError('invalid-arguments', `The declared output is no schema to hold an answer to. ${refusal}`);
  }
  return (value) => validate(value).map(({ pointer, message }) => `${pointer === '' ? '/' : pointer}: ${message}`);
}
