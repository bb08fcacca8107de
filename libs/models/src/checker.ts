import { FailureError } from '@baton/engine';
import { validator } from '@baton/expressions';
import type { Json, JsonSchema } from '@baton/primitives';

/**
 * The returned function lists the faults of a value, one line each; none if it fits. Throws `FailureError`
 * (`invalid-arguments`) if the schema is not valid.
 */
export function checkerOf(schema: JsonSchema): (value: Json) => readonly string[] {
  const { validate, refusal } = validator(schema);
  if (validate === undefined) {
    throw new FailureError('invalid-arguments', `The declared output is not a valid schema. ${refusal}`);
  }
  return (value) => validate(value).map(({ pointer, message }) => `${pointer === '' ? '/' : pointer}: ${message}`);
}
