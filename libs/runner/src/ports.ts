/** What driving a run needs from the rest of the world, beside the journal, calls and models. */
import type { Failure, Parent, DefinitionPart, Run, RunEvent, Spending, Value } from '@baton/engine';
import type { Budget, JsonObject, Plan, SecretUse } from '@baton/language';

import type { RunAdmission } from './admission.ts';
import type { Bell } from './bell.ts';
import type { BlobCache } from './blobCache.ts';
import type { Bus } from './bus.ts';
import type { Calls, Models } from './calls.ts';
import type { Clock } from './clock.ts';
import type { BlobStore, Journal } from './journal.ts';
import type { KnownSecrets } from './redact/knownSecrets.ts';
import type { Turns } from './turn.ts';

/** Compiled definitions, by digest. Rejects with `UnavailableError`. */
export type Plans = (definition: string) => Promise<Plan>;

/** Workers that are known to be alive, by their heartbeats. */
export interface Workers {
  /** Whether the worker renewed its heartbeat lately. Rejects with `UnavailableError`. */
  isAlive(worker: string): Promise<boolean>;
}

/**
 * Whether this worker may still act. Closed by its own monotonic clock when its heartbeat could not be renewed in time:
 * others may have taken its runs over by then.
 */
export interface Fence {
  /** Since when it has been open without a break, on the monotonic clock; undefined: it is closed. */
  openSince(): number | undefined;
}

/** Runs that a step asks for. */
export interface Children {
  /**
   * Makes the child run where there is none with this parent, and says how it stands.
   * A failure: there is no such workflow, or the inputs do not fit it. Rejects with `UnavailableError`.
   */
  request(child: {
    readonly parent: Parent;
    readonly workflow: string;
    readonly version?: number;
    readonly inputs: JsonObject;
    readonly by: string;
    readonly depth: number;
    /** What it may spend. */
    readonly budget?: Budget;
    /** It runs a part of this definition, on inputs that need no further check. */
    readonly item?: { readonly definition: string; readonly part: DefinitionPart };
  }): Promise<ChildState>;
  /** Asks the child to stop. False: there is none. Rejects with `UnavailableError`. */
  cancel(parent: Parent, reason: string): Promise<boolean>;
}

export type ChildState =
  | { readonly kind: 'running'; readonly runId: string }
  | {
      readonly kind: 'finished';
      readonly runId: string;
      readonly status: 'succeeded' | 'failed' | 'cancelled';
      readonly outputs?: Value;
      readonly failure?: Failure;
      readonly spent?: Spending;
    }
  | { readonly kind: 'refused'; readonly failure: Failure };

/**
 * Secrets by name, revealed just before the call that uses them. Rejects with `FailureError` for a name that is not there, or
 * is not for this workflow or this server.
 */
export type Secrets = (names: readonly string[], use: Required<SecretUse>) => Promise<Readonly<Record<string, string>>>;

export interface Ports {
  /** This worker's id. */
  readonly worker: string;
  readonly journal: Journal;
  readonly blobs: BlobStore;
  readonly cache: BlobCache;
  readonly plans: Plans;
  readonly calls: Calls;
  readonly models: Models;
  readonly children: Children;
  readonly secrets: Secrets;
  /** What is taken out of failures and of what models answer. `secrets` adds what it reveals. */
  readonly known: KnownSecrets;
  /** Absent: no run waits for another. */
  readonly turns?: Turns;
  readonly bell: Bell;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly workers: Workers;
  readonly fence: Fence;
  /** Absent: every run may begin. */
  readonly admit?: RunAdmission | undefined;
  /** Told of every event that became durable: logs and metrics. */
  readonly observe?: (run: Run, events: readonly RunEvent[]) => void;
}
