/** Folds a run's journal into the run of the API's schema. */
import type { EndedRun, Run } from '@baton/api';
import type { AwaitedTurn, RunEvent, Value } from '@baton/engine';
import { replay, resolve, rowOf, Trace } from '@baton/engine';
import type { Json } from '@baton/language';
import type { BlobStore, Clock, Plans } from '@baton/runner';
import type { RunOutcome } from '@baton/store';

import type { FoldedRun } from './foldedRuns.ts';
import { shownRun } from './run.ts';
import type { ShowLimits } from './showValue.ts';
import { withBlobs } from './withBlobs.ts';

export interface RunViewOptions {
  readonly plans: Plans;
  readonly blobs: BlobStore;
  readonly clock: Pick<Clock, 'now'>;
  /** Rejects with `UnavailableError`. */
  readonly awaitedTurn: (runId: string) => Promise<AwaitedTurn | undefined>;
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
    const { plans, clock } = this.#options;
    for (;;) {
      const stored = rowOf(fold.run).outputs;
      const [plan, inputs, outputs, awaitedTurn] = await Promise.all([
        plans(fold.run.definition),
        this.#whole(fold.run.inputs),
        stored === undefined ? undefined : this.#whole(stored),
        rowOf(fold.run).status === 'queued' ? this.#options.awaitedTurn(fold.run.id) : undefined,
      ]);
      // Another request may have let the fold grow to the end of the run meanwhile.
      if (rowOf(fold.run).outputs === stored)
        return shownRun({ ...fold, plan, inputs, outputs, awaitedTurn, nowMs: clock.now(), showLimits });
    }
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
    return withBlobs(this.#options.blobs, (blobs) => resolve(value, blobs));
  }
}
