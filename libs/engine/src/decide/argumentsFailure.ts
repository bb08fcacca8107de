/**
 * Compares the arguments of a tool call with the input schema that its version was checked against. A call that does not
 * fit is not sent, and a write gets no intent then.
 */
import { type ToolStep, argumentErrors } from '@baton/language';
import type { JsonObject, JsonSchema } from '@baton/primitives';

import { FailureError } from '../failure.ts';
import { maskOf } from '../state/place.ts';

const errorsMax = 10;

/** `invalid-arguments`, unsent; undefined: the arguments fit. `callee`: `the tool bank/pay`. */
export function argumentsFailure(
  callee: string,
  inputSchema: JsonSchema,
  args: JsonObject,
  masks: readonly string[] = [],
): FailureError | undefined {
  const errors = argumentErrors(inputSchema, args, masks);
  if (errors.length === 0) return undefined;
  const shown = errors.slice(0, errorsMax).map(({ pointer, message }) => ({ pointer, message }));
  const sentences = shown.map(({ message }) => message).join(' ');
  const rest = errors.length > shown.length ? ` And ${errors.length - shown.length} more.` : '';
  const message = `The arguments do not fit ${callee}, which was not called. ${sentences}${rest}`;
  return new FailureError('invalid-arguments', message, { details: { errors: shown } });
}

/** The same for the call of a step, whose arguments hold masks of secrets, or the secrets themselves. */
export function argumentsFailureAt(
  { server, tool, definition, with: { secrets } }: ToolStep,
  args: JsonObject,
  { isMasked }: { readonly isMasked: boolean },
): FailureError | undefined {
  if (definition?.inputSchema === undefined) return undefined;
  const masks = isMasked ? secrets.map(maskOf) : [];
  return argumentsFailure(`the tool ${server}/${tool}`, definition.inputSchema, args, masks);
}
