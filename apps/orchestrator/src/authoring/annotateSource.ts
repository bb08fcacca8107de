/** Shows an author the place of a failure: the finding becomes a comment above its step. */
import type { RunExplanation } from '@baton/control';
import { type RunEvent, planFor, replay, stepFor } from '@baton/engine';
import { type Plan, lineOf } from '@baton/language';

/** The line, from 1, of the step that failed; undefined if the run failed as a whole. */
export function lineOfFailure(
  source: string,
  plan: Plan,
  events: readonly RunEvent[],
  { run: id, step }: Pick<RunExplanation, 'run' | 'step'>,
): number | undefined {
  const run = replay(id, events);
  const failed = step === undefined ? undefined : stepFor(planFor(plan, run), run, step);
  return failed && lineOf(source, failed.pointer);
}

/** Characters of a comment. */
const commentMax = 400;

export function annotateSource(
  source: string,
  line: number,
  { error, arguments: given }: Pick<RunExplanation, 'error' | 'arguments'>,
): string {
  if (error === undefined) return source;
  const lines = source.split('\n');
  const here = lines[line - 1] ?? '';
  const indent = /^ */.exec(here)?.[0] ?? '';
  const end = here.endsWith('\r') ? '\r' : '';
  const comments = [
    `failed: ${error.code}: ${error.message}`,
    ...(given === undefined ? [] : [`it was called with ${JSON.stringify(given)}`]),
  ].map((one) => `${indent}# ${one.replaceAll(/\s+/g, ' ').slice(0, commentMax)}${end}`);
  return lines.toSpliced(line - 1, 0, ...comments).join('\n');
}
