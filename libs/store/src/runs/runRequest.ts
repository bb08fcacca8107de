/** The request to create a run, and its result. */
import type { EventOf, RunEvent, Turn } from '@baton/engine';
import type { NewBlob } from '@baton/runner';

export interface RunRequest {
  /** From `newRunId`. Absent: it gets one here. */
  readonly runId?: string;
  readonly event: EventOf<'run.requested'>;
  /** What the run begins with beside: the outcomes that it keeps of another one. */
  readonly more?: readonly RunEvent[];
  readonly blobs?: readonly NewBlob[];
  /** The callback at the end of the run. */
  readonly callback?: RequestedCallback | undefined;
  /** Not for runs that have a parent: the parent says already which one it is. */
  readonly idempotency?: Idempotency;
  /** It must be the run's at once, or there is no run. */
  readonly turn?: Turn | undefined;
  /** Its version must be the newest of its workflow, or there is no run: it was remembered, and not looked up. */
  readonly isNewest?: boolean;
}

export interface RequestedCallback {
  readonly url: string;
  /** Name of the secret that signs. */
  readonly secret: string;
}

export interface Idempotency {
  /** The scope within which the key is unique: the caller, and what it requests. */
  readonly scope: string;
  readonly key: string;
  /** Of the request's body. */
  readonly digest: string;
}

export type RequestOutcome =
  /** `existing`: the same request came before, and this is its run. */
  | { readonly kind: 'created' | 'existing'; readonly runId: string }
  /** The key came before with another body. */
  | { readonly kind: 'key-reused'; readonly runId: string }
  /** The concurrency limit is reached: a run that holds a turn. */
  | { readonly kind: 'full'; readonly runId: string };
