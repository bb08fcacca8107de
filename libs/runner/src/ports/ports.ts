/** Ports that a drive needs, beside the journal, calls and models. */
import type {
  CancelCause,
  Failure,
  KeptChild,
  LostInterval,
  Parent,
  DefinitionPart,
  RunLimits,
  RunPerson,
  Spending,
  Turn,
  Value,
} from '@baton/engine';
import type { Budget, Plan, SecretUse } from '@baton/language';
import type { JsonObject } from '@baton/primitives';

import type { Ring } from './bell.ts';

/** Compiled definitions, by digest. Rejects with `UnavailableError`. */
export type Plans = (definition: string) => Promise<Plan>;

/** The workers that are alive, by their heartbeats. */
export interface Workers {
  /** Whether the worker renewed its heartbeat in time. Rejects with `UnavailableError`. */
  isAlive(worker: string): Promise<boolean>;
}

/**
 * Whether this worker may still act. The fence closes by the worker's own monotonic clock when the heartbeat could not
 * be renewed in time: another worker may have taken its runs over by then.
 */
export interface Fence {
  /** Monotonic time since which the fence has been open without a break; undefined: it is closed. */
  openSince(): number | undefined;
}

/** The child runs that steps request. */
export interface Children {
  /**
   * Creates the child run where this parent has none, and returns its state. `refused`: there is no such workflow, or the
   * inputs do not fit it. Rejects with `UnavailableError`, also where this worker does not drive the parent any more: then
   * no child begins.
   */
  request(child: {
    readonly parent: Parent;
    readonly workflow: string;
    readonly version?: number;
    readonly inputs: JsonObject;
    readonly by: string;
    /** Whose logins its calls use. */
    readonly person?: RunPerson;
    readonly depth: number;
    /** What the child may spend. */
    readonly budget?: Budget;
    /** What the parent has left of its limits. */
    readonly limits?: RunLimits;
    /** The parent went back in time, and may have requested another child in what is lost. */
    readonly lost?: LostInterval;
    /** The child begins with the outcomes of this run. */
    readonly goesOn?: KeptChild;
    /** It is refused if its workflow does more than reading. */
    readonly mustRead?: true;
    /** The child runs a part of this definition, on inputs that need no further check. */
    readonly item?: { readonly definition: string; readonly part: DefinitionPart };
  }): Promise<ChildState>;
  /** Requests the child's cancellation; false where there is no child. Rejects with `UnavailableError`. */
  cancel(parent: Parent, reason: string, cause?: CancelCause): Promise<boolean>;
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
      readonly itemCount?: number;
    }
  | { readonly kind: 'refused'; readonly failure: Failure };

/**
 * Reveals secrets by name, just before the call that uses them. Rejects with `FailureError` for a name that is unknown, or
 * that this workflow or this server may not use.
 */
export type Secrets = (names: readonly string[], use: Required<SecretUse>) => Promise<Readonly<Record<string, string>>>;

/** Admits queued runs in order; ended runs hold no turn. Both methods reject with `UnavailableError`. */
export interface Turns {
  /** Queues the run, unless it is queued, and returns whether it may begin. A smaller `dueAt` goes first. */
  take(runId: string, turn: Turn, dueAt: number): Promise<TurnState>;
  /** Ends the turn of a run that is over, and returns the runs that may begin now. */
  pass(runId: string): Promise<readonly Ring[]>;
}

export interface TurnState {
  readonly isAdmitted: boolean;
  /** Other runs whose turn has come meanwhile. */
  readonly admitted: readonly Ring[];
  /** Earlier runs that must end before this one may begin; those that may run beside it are left out. */
  readonly older: readonly string[];
  /** The newest run queued after this one: this run must give way to it, and has left the queue. */
  readonly newer?: string | undefined;
}
