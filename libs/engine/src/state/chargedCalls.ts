/** Calls that budgets over time count: asked before they begin. */
import type { RunEvent } from './event.ts';
import type { Path } from './path.ts';

export interface ChargedCall {
  readonly path: Path;
  readonly kind: 'model' | 'write';
}

/** What ends a run, or undoes it, is no matter of budgets, as with those of a run. */
const cleaningUp: ReadonlySet<string> = new Set(['@undo', '@finally', '@onFailure']);

/** Undefined: budgets do not count what begins. */
export function chargedCall(event: RunEvent): ChargedCall | undefined {
  const kind = kindOf(event);
  if (kind === undefined || !('path' in event)) return undefined;
  const { path } = event;
  return path.split('/').some((part) => cleaningUp.has(part)) ? undefined : { path, kind };
}

function kindOf(event: RunEvent): ChargedCall['kind'] | undefined {
  if (event.type === 'step.waiting') return event.awaiting.for === 'sample' ? 'model' : undefined;
  if (event.type !== 'step.started' || event.call === undefined) return undefined;
  if (event.call.verb === 'sample') return 'model';
  return event.call.verb === 'tool' && event.call.effect === 'write' ? 'write' : undefined;
}
