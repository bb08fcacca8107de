/** What a client wants of a retry or rerun, and the definition of the new run. */
import type { RunEvent, ToldOutcome } from '@baton/engine';
import type { Plan } from '@baton/language';
import type { Json } from '@baton/primitives';
import type { Idempotency } from '@baton/store';

import type { Principal } from '../keys/scopes.ts';

/** What the caller says of a call whose answer was lost. */
/** What is said of a call of unknown outcome. */
export interface ToldCall extends Pick<ToldOutcome, 'path' | 'happened'> {
  readonly output?: Json | undefined;
}

export interface RerunOrder {
  readonly kind: 'retry' | 'rerun';
  readonly journal: readonly RunEvent[];
  readonly runId: string;
  /** For a rerun: the first step to execute again; absent: all steps. */
  readonly from?: string | undefined;
  /** Replaces the inputs of the run. */
  readonly inputs?: Json | undefined;
  /** The version of the workflow; absent: that of the run. */
  readonly version?: number | 'latest' | undefined;
  /** For a retry: the newest retry that the caller knows of; null: none; undefined: not said. */
  readonly retriedAs?: string | null | undefined;
  /** For a retry: what the caller says of calls whose answers were lost. */
  readonly told?: readonly ToldCall[] | undefined;
  readonly principal: Principal;
  /** Report what would happen, and start nothing. */
  readonly isPreview: boolean;
  readonly idempotency: Idempotency | undefined;
}

/** The definition of the new run. */
export interface RerunTarget {
  readonly version: number | undefined;
  readonly definition: string;
  /** Of the whole definition. */
  readonly whole: Plan;
  /** What the run executes of it. */
  readonly plan: Plan;
}
