/** The steps of a plan, with those inside them, and how often a run may reach each. */
import type { Plan, Step } from '@baton/language';
import { limits } from '@baton/language';

/** In the order of the steps. `times`: how often in one run, retries excluded. */
export function* stepsIn(plan: Plan): Generator<{ readonly step: Step; readonly times: number }> {
  const roots = [plan.steps, plan.onFailure, plan.finally].flatMap((block) => block?.steps ?? []);
  for (const step of roots) yield* within(step, 1);
}

function* within(step: Step, times: number): Generator<{ readonly step: Step; readonly times: number }> {
  yield { step, times };
  for (const inner of innerOf(step)) yield* within(inner, times * roundsOf(step));
}

/** How often the steps directly inside the step may run. */
function roundsOf(step: Step): number {
  if (step.verb === 'forEach') return limits.step.items;
  return step.verb === 'repeat' ? step.max : 1;
}

/** The steps directly inside the step. */
function innerOf(step: Step): readonly Step[] {
  const handlers = typeof step.onError === 'string' ? [] : step.onError.flatMap(({ block }) => block.steps);
  const own = [...handlers, ...(step.undo?.steps ?? [])];
  switch (step.verb) {
    case 'tool':
      return [...own, ...(step.check?.block.steps ?? [])];
    case 'parallel':
      return [...own, ...step.steps];
    case 'steps':
      return [...own, ...step.body.steps, ...(step.finally?.steps ?? [])];
    case 'switch':
      return [...own, ...step.cases.flatMap(({ block }) => block.steps)];
    case 'forEach':
    case 'repeat':
      return [...own, ...step.body.steps];
    default:
      return own;
  }
}
