/** Reads what a child run begins with that goes on from an earlier one. */
import { type DefinitionPart, type KeptChild, type RunEvent, FailureError } from '@baton/engine';
import type { JsonObject } from '@baton/primitives';
import { type Clock, type GoOnTarget, type PastRuns, BlobCache, goOn, pastRun } from '@baton/runner';
import { type Store, childIds } from '@baton/store';

export interface BegunChild {
  readonly inputs: JsonObject;
  readonly part: DefinitionPart | undefined;
  readonly rerunOf: string;
  /** Its first events after the request. */
  readonly more: readonly RunEvent[];
}

/**
 * Resolves to a failure where the new child run must be refused: without the outcomes that it was to keep, it would make
 * calls again. Rejects with `UnavailableError`.
 */
export function goOnFrom({ store, clock }: { readonly store: Store; readonly clock: Clock }) {
  const pastRuns: PastRuns = {
    journal: store.journal,
    blobs: store.blobs,
    cache: new BlobCache(0),
    childIds: (runId) => childIds(store, runId),
  };
  return async ({ runId, asksAgain, told }: KeptChild, target: GoOnTarget): Promise<BegunChild | FailureError> => {
    try {
      const old = await pastRun(pastRuns, runId);
      if (old === undefined) return refused(runId, 'is not kept any more');
      if (old.events.at(-1)?.type !== 'run.finished') return refused(runId, 'has not ended');
      const { inputs, part, carried } = await goOn(pastRuns, old, target, { at: clock.now(), asksAgain, told });
      return { inputs, part, rerunOf: runId, more: carried.events };
    } catch (error) {
      if (error instanceof FailureError) return error;
      throw error;
    }
  };
}

const refused = (runId: string, why: string): FailureError =>
  new FailureError('child-failed', `The run ${runId}, from which this child run was to go on, ${why}.`);
