/** The steps of a plan, with those inside them, and how often a run may reach each. */
import { limits } from '@baton/expressions';
import { type Plan, type Step, blocksOf, isLoopStep, rootBlocks } from '@baton/language';

/** In the order of the steps. `times`: how often in one run, retries excluded. */
export function* stepsIn(plan: Plan): Generator<{ readonly step: Step; readonly times: number }> {
  for (const step of rootBlocks(plan).flatMap(({ steps }) => steps)) yield* within(step, 1);
}

function* within(step: Step, times: number): Generator<{ readonly step: Step; readonly times: number }> {
  yield { step, times };
  for (const inner of blocksOf(step).flatMap(({ steps }) => steps)) yield* within(inner, times * roundsOf(step));
}

/** How often the steps directly inside the step may run. */
function roundsOf(step: Step): number {
  if (!isLoopStep(step)) return 1;
  switch (step.verb) {
    case 'forEach':
      return limits.step.items;
    case 'repeat':
      return step.max;
    case 'ensure':
      return 1 + Math.ceil((step.withinMs ?? 0) / step.everyMs);
  }
}
