/**
 * A run, folded from its journal.
 */
import type { Budget } from '@baton/language';
import type { Json } from '@baton/primitives';

import type { Failure } from '../failure.ts';
import { invariant } from '../invariant.ts';
import type { DefinitionPart } from './definitionPart.ts';
import type { CancelCause, LostInterval, Parent, RunEnd, RunLimits, RunPerson, RunState, Trigger } from './event.ts';
import type { KeptChildren } from './keptChildren.ts';
import type { Path, RootFrame } from './path.ts';
import type { GatewaySession } from './session.ts';
import type { Spending } from './spending.ts';
import type { Frame } from './step.ts';
import type { Value } from './value.ts';

export type RunStatus = 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';

/** All legal changes of a run's status. Terminal states have no way out (invariant I6). */
export const runMoves = {
  queued: ['running', 'cancelled'],
  running: ['waiting', 'succeeded', 'failed', 'cancelled'],
  waiting: ['running'],
  succeeded: [],
  failed: [],
  cancelled: [],
} as const satisfies Record<RunStatus, readonly RunStatus[]>;

/** The statuses from which the table leads to one of `To`. */
type StatusBefore<To extends RunStatus> = {
  [From in RunStatus]: To extends (typeof runMoves)[From][number] ? From : never;
}[RunStatus];

/**
 * Checks a change of a run's status against the table (invariant I6): afterwards the run has a status that allows it.
 */
export function assertMove<To extends RunStatus>(
  run: Run,
  to: To,
): asserts run is Extract<Run, { readonly status: StatusBefore<To> }> {
  const allowed: readonly RunStatus[] = runMoves[run.status];
  invariant(allowed.includes(to), `a run cannot go from ${run.status} to ${to}`);
}

export interface Signal {
  /** Journal position; the step that takes the signal names it. */
  readonly seq: number;
  readonly name: string;
  readonly payload: Json;
  readonly by: string;
  readonly at: number;
}

/** A linked list that shares its tail, newest first. */
interface PathList {
  readonly path: Path;
  readonly before: PathList | undefined;
}

/** The calls that have succeeded and change something: how many, and the paths of the first of them. A child run counts as one. */
export interface RunWrites {
  readonly count: number;
  readonly paths: readonly Path[];
  /** Calls whose outcomes are those of the run before, newest first; the plan says which of them write. */
  readonly kept: PathList | undefined;
}

interface CancelRequest {
  readonly by: string;
  readonly reason: string | undefined;
  readonly at: number;
  /** Of the run that started it, which a limit ends, or what it could not verify. */
  readonly cause: CancelCause | undefined;
}

/** The run went back in time: what it may have done since is not in its journal. */
export interface Rewind extends LostInterval {
  /** Journal position: a call that begins for the first time after it may have been made before. */
  readonly seq: number;
  /** Number of calls of a session that its client had requested before; those after it are new. */
  readonly calls: number;
  /** Another run, which is lost, may have made the calls: its idempotency keys are not those of this one. */
  readonly isOfAnotherRun: boolean;
}

/** What is true of a run in every status. */
interface RunFields {
  readonly id: string;
  /** How many events are folded in: the position of the last one, counted from 1. */
  readonly seq: number;
  /** When the last event was written. Never decreases. */
  readonly at: number;
  readonly workflow: string;
  readonly version: number | undefined;
  readonly definition: string;
  readonly inputs: Value;
  readonly trigger: Trigger;
  readonly by: string;
  readonly via: string | undefined;
  /** Whose logins its calls use; undefined: those of the installation. */
  readonly person: RunPerson | undefined;
  readonly tags: readonly string[];
  readonly priority: number;
  readonly parent: Parent | undefined;
  /** Undefined: the run executes its whole definition. */
  readonly part: DefinitionPart | undefined;
  /** Undefined for a run that is no session. */
  readonly session: GatewaySession | undefined;
  readonly rerunOf: string | undefined;
  /** Undefined: its workflow declares no state, or it was never claimed. */
  readonly state: RunState | undefined;
  /** The child runs of earlier runs from which those of this run go on. */
  readonly keptChildren: KeptChildren | undefined;
  readonly depth: number;
  readonly notBefore: number | undefined;
  readonly createdAt: number;
  /** Claims so far: the number of the last one. */
  readonly claim: number;
  /** The run has paused: lists of tools that were read earlier are too old for its calls. Undefined: it has not. */
  readonly toolsReadSince: number | undefined;
  /** Undefined: its journal has all that it did. */
  readonly rewind: Rewind | undefined;
  readonly frames: ReadonlyMap<RootFrame, Frame>;
  /** Number of open questions. */
  readonly questions: number;
  readonly spent: Spending;
  /** What the parent allows it to spend; the budget of its workflow also applies. */
  readonly budget: Budget | undefined;
  readonly limits: RunLimits | undefined;
  /** Items that count towards `limits`, including those of child runs. */
  readonly itemCount: number;
  readonly writes: RunWrites;
  /** Steps that may be undone, newest first. */
  readonly undoable: PathList | undefined;
}

interface OpenFields extends RunFields {
  readonly cancel: CancelRequest | undefined;
  /** Signals that no step has taken yet, oldest first. */
  readonly signals: readonly Signal[];
}

/** Fields of a run that has been claimed at least once. */
interface BegunFields extends OpenFields {
  /** When it was claimed first. */
  readonly startedAt: number;
  /** Why active steps are being stopped, where the run is not cancelled. */
  readonly stopped: Failure | undefined;
  /** How the run will end: its steps are over; undoing, `onFailure` and `finally` remain. */
  readonly ending: RunEnd | undefined;
}

/** No worker has claimed it. */
export interface QueuedRun extends OpenFields {
  readonly status: 'queued';
}

export interface RunningRun extends BegunFields {
  readonly status: 'running';
  /** The worker that drives it. */
  readonly worker: string;
  /** Claims in a row that took the run from a worker that had not released it. */
  readonly takeoversInARow: number;
}

/** Released: nothing can happen before `wakeAt`, or before another process appends. */
export interface WaitingRun extends BegunFields {
  readonly status: 'waiting';
  /** The worker that released it. */
  readonly worker: string;
  readonly wakeAt: number | undefined;
}

interface EndedFields extends RunFields {
  readonly endedAt: number;
  /** Undefined for a run that was cancelled before its first claim. */
  readonly execution: { readonly startedAt: number; readonly worker: string } | undefined;
}

interface SucceededRun extends EndedFields {
  readonly status: 'succeeded';
  readonly outputs: Value | undefined;
}

interface FailedRun extends EndedFields {
  readonly status: 'failed';
  readonly failure: Failure;
}

interface CancelledRun extends EndedFields {
  readonly status: 'cancelled';
  readonly failure: Failure;
  /** The key, or the parent run. Undefined if no request came before the end. */
  readonly cancelledBy: string | undefined;
}

/** A run that a worker has claimed. */
export type BegunRun = RunningRun | WaitingRun;

export type UnfinishedRun = QueuedRun | BegunRun;

export type EndedRun = SucceededRun | FailedRun | CancelledRun;

export type Run = UnfinishedRun | EndedRun;

/** A terminal state never changes (invariant I6). */
export const isEnded = (run: Run): run is EndedRun => runMoves[run.status].length === 0;
