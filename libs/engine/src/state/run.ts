/**
 * A run, folded from its journal.
 */
import type { Budget, Json } from '@baton/language';

import type { Failure } from '../failure.ts';
import type { Session } from '../session/session.ts';
import type { Parent, RunLimits, Trigger } from './event.ts';
import type { DefinitionPart } from './part.ts';
import type { Path, RootFrame } from './path.ts';
import type { Spending } from './spent.ts';
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

export interface Signal {
  /** Journal position, by which a step says that it took it. */
  readonly seq: number;
  readonly name: string;
  readonly payload: Json;
  readonly by: string;
  readonly at: number;
}

/** A list that shares its tail: `undo` goes through it from its head. */
interface Undoable {
  readonly path: Path;
  readonly before: Undoable | undefined;
}

export interface Run {
  readonly id: string;
  /** How many events are folded in: the position of the last one, counted from 1. */
  readonly seq: number;
  /** When the last event was written. Never decreases. */
  readonly at: number;
  readonly status: RunStatus;
  readonly workflow: string;
  readonly version: number | undefined;
  readonly definition: string;
  readonly inputs: Value;
  readonly trigger: Trigger;
  readonly by: string;
  readonly tags: readonly string[];
  readonly priority: number;
  readonly parent: Parent | undefined;
  /** The part of its definition that it runs, where it is not the whole. */
  readonly part: DefinitionPart | undefined;
  /** Of a run whose steps a client asks for. */
  readonly session: Session | undefined;
  readonly rerunOf: string | undefined;
  readonly depth: number;
  readonly notBefore: number | undefined;
  readonly createdAt: number;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly wakeAt: number | undefined;
  /** The worker that drives it, or drove it last. Claims are counted from 1. */
  readonly worker: string | undefined;
  readonly claim: number;
  /** Claims in a row that took the run from a worker that had not released it. */
  readonly takeoversInARow: number;
  readonly cancel: { readonly by: string; readonly reason: string | undefined; readonly at: number } | undefined;
  /** Why active steps are being stopped, where the run is not cancelled. */
  readonly stopped: Failure | undefined;
  /** How the run will end, once its steps are over. */
  readonly ending:
    | { readonly status: 'succeeded' | 'failed' | 'cancelled'; readonly failure: Failure | undefined }
    | undefined;
  readonly frames: ReadonlyMap<RootFrame, Frame>;
  /** Signals that no step has taken yet, oldest first. */
  readonly signals: readonly Signal[];
  /** Open questions. */
  readonly questions: number;
  readonly spent: Spending;
  /** What a parent allows it to spend, beside the limits of its workflow. */
  readonly budget: Budget | undefined;
  readonly limits: RunLimits | undefined;
  /** Items that count towards `limits`, with those of child runs that ended. */
  readonly itemCount: number;
  /** Steps that may be undone, newest first. */
  readonly undoable: Undoable | undefined;
  readonly outputs: Value | undefined;
  readonly failure: Failure | undefined;
}
