/** What a person says that a call answered is read like an answer of its tool, so it must be one. */
import { ProblemError } from '@baton/api';
import type { Step } from '@baton/language';
import type { Json } from '@baton/primitives';
import { checkStructured } from '@baton/protocol';

/** `pointer`: of the output in the request. Throws `ProblemError`. */
export function checkToldOutput(step: Step | undefined, output: Json, pointer: string): void {
  const outputSchema = step?.verb === 'tool' ? step.definition?.outputSchema : undefined;
  const told = { content: [], structuredContent: output };
  const checked = outputSchema === undefined ? undefined : checkStructured(told, outputSchema);
  if (step?.verb !== 'tool' || checked === undefined || !('problem' in checked)) return;
  const message = `This is no answer of the tool ${step.server}/${step.tool}: ${checked.problem}.`;
  throw new ProblemError('validation-failed', message, { errors: [{ pointer, code: 'invalid-answer', message }] });
}
