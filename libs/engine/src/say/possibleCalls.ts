/** What a run may have called in a time that Postgres has lost. */
import { type Plan, type Step, effectOfStep, stepsOf } from '@baton/language';

import { stateAt } from '../state/locate.ts';
import { type Run, isEnded } from '../state/run.ts';
import { type StepState, isOver } from '../state/step.ts';

/** Writes and samples that its steps may have made since, each once, in the order of the workflow. */
export function possibleCalls(plan: Plan, run: Run): string[] {
  if (isEnded(run)) return [];
  const { session } = run;
  if (session !== undefined) {
    const open = session.calls.filter(({ path, target }) => isWriting(target) && !isOverIn(run, path));
    return [...new Set(open.map(({ target }) => target.server + ('tool' in target ? `/${target.tool}` : '')))];
  }
  const open = stepsOf(plan).filter((step) => effectOfStep(step) === 'write' && !isOverIn(run, step.key));
  return [...new Set(open.map(nameOf))];
}

const isWriting = (target: { readonly verb: string; readonly effect?: { readonly effect: string } }): boolean =>
  target.effect?.effect === 'write';

/** Steps inside loops are at other paths, and count as open. */
function isOverIn(run: Run, path: string): boolean {
  const state: StepState | undefined = stateAt(run, path);
  return state !== undefined && isOver(state);
}

const nameOf = (step: Step): string => {
  if (step.verb === 'tool') return `${step.server}/${step.tool}`;
  return step.verb === 'workflow' ? `workflow ${step.workflow}` : step.verb;
};
