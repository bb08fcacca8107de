/** The request to create a run, and its result. */
import type { EventOf, RequestedTurn, RunEvent } from '@baton/engine';
import type { NewBlob } from '@baton/runner';

/** With `turn`, the run is created only if it gets it at once. */
export interface RunRequest extends RequestedTurn {
  /** From `newRunId`. Absent: the store makes one. */
  readonly runId?: string;
  readonly event: EventOf<'run.requested'>;
  /** Further first events: the outcomes that are carried over from another run. */
  readonly more?: readonly RunEvent[] | undefined;
  readonly blobs?: readonly NewBlob[];
  /** The callback at the end of the run. */
  readonly callback?: RequestedCallback | undefined;
  /** Not for child runs, which their parent identifies. */
  readonly idempotency?: Idempotency;
  /** The worker that asks for a child run: the child is created only while this worker drives the parent. */
  readonly parentWorker?: string | undefined;
  /** The run is created only if its version is still the newest: the caller took the version from a cache. */
  readonly isNewest?: boolean;
  /** Of a retry: the run is created only if the newest retry of the old run is still this one; null: there is none. */
  readonly retriedAs?: string | null;
  /** Of an undo: the run is created only if the newest undo of the old run is still this one; null: there is none. */
  readonly undoneAs?: string | null;
}

/** A request whose run may begin at once: nothing is carried over, no turn is needed, and no parent waits for it. */
export type BeginningRequest = Omit<RunRequest, 'more' | 'turn' | 'parentWorker'> & Required<Pick<RunRequest, 'runId'>>;

export interface RequestedCallback {
  readonly url: string;
  /** Name of the secret that signs. */
  readonly secret: string;
}

export interface Idempotency {
  /** The scope within which the key is unique: the caller and the kind of request. */
  readonly scope: string;
  readonly key: string;
  /** Digest of the request's body. */
  readonly digest: string;
}

export type RequestOutcome =
  /** `existing`: the same request came before, and this is its run. */
  | { readonly kind: 'created' | 'existing'; readonly runId: string }
  /** The key came before with another body. */
  | { readonly kind: 'key-reused'; readonly runId: string }
  /** `runId`: the run that undoes the one that was to be retried. */
  | { readonly kind: 'undone'; readonly runId: string }
  /** `runId`: another retry of the same run, made meanwhile. */
  | { readonly kind: 'retried'; readonly runId: string }
  /** The concurrency limit is reached; `runId` is a run that holds a turn. */
  | { readonly kind: 'full'; readonly runId: string };
