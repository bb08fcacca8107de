/** What a person says that a call answered is read like an answer of its tool, so it must be one. */
import { ProblemError } from '@baton/api';
import { findStep, readersOf } from '@baton/engine';
import type { Plan, Step } from '@baton/language';
import type { Json } from '@baton/primitives';
import { checkStructured } from '@baton/protocol';

import type { ToldCall } from './rerunOrder.ts';

/** Throws `ProblemError` where two things are said of one call, or an answer is missing or cannot be one. */
export function checkToldAnswers(plan: Plan, told: readonly ToldCall[]): void {
  const paths = new Set<string>();
  for (const [at, { path }] of told.entries()) {
    const message = `Two things are said of the call at ${JSON.stringify(path.slice(0, 80))}.`;
    const errors = [{ pointer: `/told/${at}/path`, code: 'said-twice', message }];
    if (paths.has(path)) throw new ProblemError('validation-failed', message, { errors });
    paths.add(path);
  }
  for (const [at, one] of told.entries()) checkToldAnswer(plan, one, `/told/${at}/output`);
}

/** Without an answer, what reads it would get an empty one, and could write it. */
function checkToldAnswer(plan: Plan, { path, happened, output }: ToldCall, pointer: string): void {
  const step = findStep(plan, path);
  if (output !== undefined) return checkToldOutput(step, output, pointer);
  const [reader] = step?.id === undefined || !happened ? [] : readersOf(plan, step.id);
  if (reader === undefined) return;
  const who = reader === 'outputs' ? 'the outputs of the workflow read' : `the step ${JSON.stringify(reader)} reads`;
  const message = `What the call at ${JSON.stringify(path.slice(0, 80))} answered is missing: ${who} it.`;
  const hint = `say it: \`--happened '${path}={"id": 7}'\`, or \`output\` in a request; \`{}\` if it was empty`;
  throw new ProblemError('validation-failed', message, {
    errors: [{ pointer, code: 'missing-answer', message, hint }],
  });
}

/** As `checkToldAnswer`. */
export function checkToldOutput(step: Step | undefined, output: Json, pointer: string): void {
  const outputSchema = step?.verb === 'tool' ? step.definition?.outputSchema : undefined;
  const told = { content: [], structuredContent: output };
  const checked = outputSchema === undefined ? undefined : checkStructured(told, outputSchema);
  if (step?.verb !== 'tool' || checked === undefined || !('problem' in checked)) return;
  const message = `This is no answer of the tool ${step.server}/${step.tool}: ${checked.problem}.`;
  throw new ProblemError('validation-failed', message, { errors: [{ pointer, code: 'invalid-answer', message }] });
}
