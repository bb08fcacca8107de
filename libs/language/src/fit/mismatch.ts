import { type SchemaError, validator } from '@baton/expressions';
import type { Json, JsonSchema } from '@baton/primitives';

import type { ProblemReporter } from '../problem.ts';

/** Reports the errors of a literal value against its schema; `sentence` names both. */
export function reportMismatches(
  report: ProblemReporter,
  schema: JsonSchema,
  value: Json,
  pointer: string,
  sentence: string,
): void {
  for (const error of validator(schema).validate?.(value) ?? []) {
    report({ code: 'value-invalid', ...mismatch(error, pointer, sentence) });
  }
}

/** The parts of a problem that come from a validation error. */
export function mismatch(
  { pointer: inside, message, ...rest }: SchemaError,
  pointer: string,
  sentence: string,
): SchemaError {
  return { ...rest, pointer: pointer + inside, message: `${sentence} ${message}` };
}
