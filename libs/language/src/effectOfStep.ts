/** What the call of a step does, as everyone but its author must take it. */
import type { Effect, Step, ToolStep } from './plan.ts';
import { strongerEffect } from './servers/shownEffect.ts';

/** The author of the workflow may have said less than the server and its configuration do. */
export const toolEffectOf = ({ effect, toolEffect }: Pick<ToolStep, 'effect' | 'toolEffect'>): Effect =>
  strongerEffect(effect.effect, toolEffect);

/**
 * The effect of the step's own call. A child run counts as a write, since its calls are not known here, unless it is
 * started only if it reads. A sample that the
 * installation pays for counts as a write, because asking again costs again; a sample of the caller's own model does not.
 */
export function effectOfStep(step: Step): Effect {
  switch (step.verb) {
    case 'tool':
      return toolEffectOf(step);
    case 'workflow':
      return step.mustRead === true ? 'read' : 'write';
    case 'sample':
      return step.via === 'provider' ? 'write' : 'read';
    case 'prompt':
    case 'resource':
    case 'ask':
    case 'wait':
    case 'set':
    case 'state':
    case 'parallel':
    case 'steps':
    case 'switch':
    case 'forEach':
    case 'repeat':
    case 'ensure':
    case 'fail':
      return 'read';
  }
}
