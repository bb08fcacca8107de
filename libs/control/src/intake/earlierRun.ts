/** Finds the run of an earlier request with the same idempotency key. */
import { ProblemError } from '@baton/api';
import { type Idempotency, type Store, getIdempotencyKey } from '@baton/store';

export interface EarlierRun {
  readonly runId: string;
  readonly isNew: false;
}

/**
 * Repetitions get the same answer, even if the workflow has changed. Rejects with `ProblemError` if the key came with
 * another request, and with `UnavailableError`.
 */
export async function earlierRun(store: Store, idempotency: Idempotency | undefined): Promise<EarlierRun | undefined> {
  const used = idempotency && (await getIdempotencyKey(store, idempotency));
  if (used === undefined) return undefined;
  if (used.digest !== idempotency?.digest) throw keyReused();
  return { runId: used.runId, isNew: false };
}

export const keyReused = (): ProblemError =>
  new ProblemError(
    'idempotency-key-reused',
    'This idempotency key was used before, with another body or for another workflow.',
  );
