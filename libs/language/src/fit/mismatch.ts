import type { Json, JsonSchema } from '../json.ts';
import type { ProblemReporter } from '../problem.ts';
import type { SchemaError } from './explainErrors.ts';
import { validator } from './validator.ts';

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
