/** Folds a run's journal into the run of the API's schema. */
import type { EndedRun, Run } from '@baton/api';
import { type RunEvent, type Value, isEnded, letsItemsFail, replay, resolve, rowOf, Trace } from '@baton/engine';
import type { Json } from '@baton/primitives';
import type { Clock, Plans } from '@baton/runner';
import { type RunOutcome, type Store, awaitedTurn, newestRetries, undosOf } from '@baton/store';

import type { FoldedRun } from './foldedRuns.ts';
import { shownRun } from './run.ts';
import type { ShowLimits } from './showValue.ts';
import { withBlobs } from './withBlobs.ts';

export interface RunViewOptions {
  readonly plans: Plans;
  readonly store: Pick<Store, 'blobs' | 'pool'>;
  readonly clock: Pick<Clock, 'now'>;
}

export class RunView {
  readonly #options: RunViewOptions;

  constructor(options: RunViewOptions) {
    this.#options = options;
  }

  /** `events`: the whole journal. `showLimits`: of the values of steps. Rejects with `UnavailableError`. */
  shown(runId: string, events: readonly RunEvent[], showLimits?: ShowLimits): Promise<Run> {
    return this.ofFold({ run: replay(runId, events), trace: Trace.of(events) }, showLimits);
  }

  /** Rejects with `UnavailableError`. */
  async ofFold(fold: FoldedRun, showLimits?: ShowLimits): Promise<Run> {
    const { plans, store, clock } = this.#options;
    for (;;) {
      const { outputs: stored, status } = rowOf(fold.run);
      const isRetryable = status === 'failed' || status === 'cancelled' || letsItemsFail(fold.trace);
      const [plan, inputs, outputs, turn, retries] = await Promise.all([
        plans(fold.run.definition),
        this.#whole(fold.run.inputs),
        stored === undefined ? undefined : this.#whole(stored),
        status === 'queued' ? awaitedTurn(store, fold.run.id) : undefined,
        newestRetries(store, isRetryable ? [fold.run.id] : []),
      ]);
      // Another request may have let the fold grow to the end of the run meanwhile.
      if (rowOf(fold.run).outputs === stored)
        return shownRun({
          ...fold,
          plan,
          inputs,
          outputs,
          awaitedTurn: turn,
          retriedAs: retries.get(fold.run.id),
          nowMs: clock.now(),
          showLimits,
        });
    }
  }

  /** As `shown`, and says which run undoes it. */
  lookedUp(runId: string, events: readonly RunEvent[], showLimits?: ShowLimits): Promise<Run> {
    return this.seen({ run: replay(runId, events), trace: Trace.of(events) }, showLimits);
  }

  /** As `ofFold`, and says which run undoes it. */
  async seen(fold: FoldedRun, showLimits?: ShowLimits): Promise<Run> {
    const [shown, [undo]] = await Promise.all([
      this.ofFold(fold, showLimits),
      isEnded(fold.run) ? undosOf(this.#options.store, fold.run.id) : [],
    ]);
    return { ...shown, ...(undo === undefined ? {} : { undoneAs: undo }) };
  }

  /** Only the outcome of an ended run. Rejects with `UnavailableError`. */
  async ended(id: string, { status, outputs, failure }: RunOutcome): Promise<EndedRun> {
    return {
      id,
      status,
      ...(outputs && { outputs: await this.#whole(outputs) }),
      ...(failure && { error: failure }),
    };
  }

  /** Programs need inputs and outputs whole, however large. */
  #whole(value: Value): Promise<Json> {
    return withBlobs(this.#options.store.blobs, (blobs) => resolve(value, blobs));
  }
}
