import type { Path } from '../state/path.ts';
import type { DecisionInProgress } from './decision.ts';

/** Ends a step that has begun, without an outcome. */
export function cancel(d: DecisionInProgress, path: Path, attempt: number, reason: string): void {
  d.events.push({ type: 'step.cancelled', at: d.nowMs, path, attempt, reason });
}
