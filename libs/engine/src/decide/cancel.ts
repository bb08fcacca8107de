import type { BegunStep } from './begunStep.ts';
import type { DecisionInProgress } from './decision.ts';

/** Ends a step that has begun, without an outcome. */
export function cancel(d: DecisionInProgress, { path, state }: BegunStep, reason: string): void {
  d.events.push({ type: 'step.cancelled', at: d.nowMs, path, attempt: state.attempt, reason });
}
