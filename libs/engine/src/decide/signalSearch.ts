/**
 * Looks for the signals that waits take, as far as one decision may look: `match` may be heavy, and a run may have many
 * signals and many waits. What was tried is then written down, and the next decision goes on behind it.
 *
 * It counts the cost, and not the time, so that every worker writes down the same.
 */
import { type EvaluationCost, EvaluationError, type Scope, limits } from '@baton/expressions';
import type { Step } from '@baton/language';

import type { EventOf, WaitCondition } from '../state/event.ts';
import type { Path } from '../state/path.ts';
import { type StepPlace, scopeAt } from '../state/place.ts';
import type { Signal } from '../state/run.ts';
import type { WaitingStep } from '../state/step.ts';

interface Waiting {
  readonly step: Step;
  readonly state: WaitingStep;
  readonly place: StepPlace;
  readonly path: Path;
}

/** Of one decision; about 25 ms on a slow core. The last evaluation may exceed it. */
const fullCost = limits.expression.cost / 4;
/** What each evaluation costs besides: its scope. */
const scopeCost = 5;

export class SignalSearch {
  readonly #cost: EvaluationCost = { units: 0 };
  #tried: { readonly begun: Waiting; readonly awaiting: WaitCondition }[] = [];

  /** True: this decision tries no more signals. */
  get isFull(): boolean {
    return this.#cost.units >= fullCost;
  }

  /**
   * Returns whether the wait takes a signal. It comes from outside: one that `match` cannot read is not the one that is
   * waited for, and ends nothing.
   */
  matcherOf({ step, place }: Waiting): (signal: Signal) => unknown {
    const match = step.verb === 'wait' && step.for.kind === 'signal' ? step.for.match : undefined;
    if (match === undefined) return () => true;
    let scope: Scope | undefined;
    return ({ payload }) => {
      this.#cost.units += scopeCost;
      try {
        scope ??= scopeAt(place, match);
        return match.evaluate({ ...scope, signal: payload }, this.#cost);
      } catch (error) {
        if (error instanceof EvaluationError) return error;
        throw error;
      }
    };
  }

  /** Notes that the wait goes on, and up to which signal it has tried them. */
  note(begun: Waiting, awaiting: WaitCondition): void {
    this.#tried.push({ begun, awaiting });
  }

  /** What all waits of this decision have tried, so that no later one does it again. */
  progress(at: number): EventOf<'step.waiting'>[] {
    return this.#tried.map(({ begun: { path, state }, awaiting }) => {
      const { verb, attempt } = state;
      return { type: 'step.waiting', at, path, verb, attempt, awaiting };
    });
  }
}
