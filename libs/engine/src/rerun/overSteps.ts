/**
 * What a rerun does not execute again, as the events say with which it begins: there is no second place that decides it,
 * so that no preview names a call that is kept.
 */
import type { Plan } from '@baton/language';

import { ensureFrame, isEnsured } from '../state/ensure.ts';
import type { RunEvent } from '../state/event.ts';
import { sharedKeys, stateAt, stepFor } from '../state/locate.ts';
import type { Path } from '../state/path.ts';
import type { Run } from '../state/run.ts';

/** Steps and items that the new run does not execute, with everything inside them. */
export class OverSteps {
  /** False: what is inside such a step, and is executed all the same. */
  readonly #over = new Map<Path, boolean>();

  /** `run`: with the events folded in. */
  constructor(plan: Plan, run: Run, events: readonly RunEvent[]) {
    for (const event of events) {
      if (event.type === 'item.finished') this.#over.set(`${event.path}/${event.index}`, true);
      if (event.type !== 'step.succeeded' && event.type !== 'step.skipped' && event.type !== 'step.failed') continue;
      const { path } = event;
      const step = stepFor(plan, run, path);
      if (step === undefined) continue;
      this.#over.set(path, true);
      // A step that lost a race has no outcome that is kept, and is not executed again either.
      for (const key of sharedKeys(step)) this.#over.set(path.slice(0, -step.key.length) + key, true);
      const state = stateAt(run, path);
      if (state?.status === 'succeeded' && !isEnsured(step, state)) this.#over.set(`${path}/${ensureFrame}`, false);
    }
  }

  /** The nearest of the steps and frames around the path decides. */
  has(path: Path): boolean {
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      const isOver = this.#over.get(path.slice(0, end));
      if (isOver !== undefined) return isOver;
    }
    return false;
  }
}
