import { FailureError } from '@baton/engine';
import { type Json, type JsonSchema, validator } from '@baton/language';

/** What is wrong with a value, as lines; none where it fits. Throws `invalid-arguments` where the schema is none. */
export function checkerOf(schema: JsonSchema): (value: Json) => readonly string[] {
  const { validate, refusal } = validator(schema);
  if (validate === undefined) {
    throw new FailureError('invalid-arguments', `The declared output is no schema to hold an answer to. ${refusal}`);
  }
  return (value) => validate(value).map(({ pointer, message }) => `${pointer === '' ? '/' : pointer}: ${message}`);
}
