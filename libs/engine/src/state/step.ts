/** The states of a step. Each status carries what is true then, and nothing else. */
import type { Verb } from '@baton/language';
import type { Json } from '@baton/primitives';

import type { Failure } from '../failure.ts';
import { invariant } from '../invariant.ts';
import type { WaitCondition, Call, Question, Usage } from './event.ts';
import { type ClosedFrames, closedFrame } from './frames.ts';
import type { Spending } from './spending.ts';
import { StepMap } from './stepMap.ts';
import type { RememberedValue, Value } from './value.ts';

/** One execution of a block: the steps that have begun in it. A step that is absent is pending. */
export interface Frame {
  readonly steps: StepMap<StepState>;
}

export const emptyFrame: Frame = { steps: StepMap.empty() };

export type Frames = ReadonlyMap<string, Frame>;

export const noFrames: Frames = new Map();

/** Values of finished items, newest first; the list shares its tail, so extending it is cheap. */
interface CollectedItems {
  readonly index: number;
  readonly value: Value | undefined;
  readonly failure: Failure | undefined;
  readonly before: CollectedItems | undefined;
}

interface StepStateFields {
  readonly verb: Verb;
  readonly attempt: number;
  /** Frames that live inside the step: items, rounds, `@onError`, `@check`, `@undo`, `@finally`. */
  readonly frames: Frames;
  /** Undefined unless the step is a `forEach`, a `repeat` or a group that has begun. */
  readonly items: Items | undefined;
  /** Spending of its own attempts and of everything in its frames; undefined: nothing. */
  readonly spent: Spending | undefined;
  /** For a `switch` that has begun: the index of the taken case. */
  readonly case: number | undefined;
  /** Journal position at which an attempt last began, or its outcome last became unknown. */
  readonly seenAt: number;
}

/** The progress of a `forEach` or `repeat` over its items or rounds. A group counts its steps as one item. */
export interface Items {
  readonly values: Value | undefined;
  /** The first index that has not begun. */
  readonly next: number;
  readonly finished: number;
  readonly collected: CollectedItems | undefined;
  /** Frames of finished items that contain undoable steps. */
  readonly closed: ClosedFrames<Frame> | undefined;
  /** The first failure that ends the whole step. */
  readonly failure: Failure | undefined;
  /** An item was stopped before its end: the step can no longer complete. */
  readonly isCut: boolean;
  /** `repeat`: whether another round follows, and when. */
  readonly again: boolean;
  readonly resumeAt: number | undefined;
}

export type RunningStep = StepStateFields & {
  readonly status: 'running';
  readonly startedAt: number;
  /** The claim under which it began: a call of an earlier claim has lost its worker. */
  readonly claim: number;
  /** Journal position at which it began. */
  readonly seq: number;
  readonly call: Call | undefined;
  /** The same call may have been made before, in a time that Postgres has lost: it is not sent. */
  readonly isPerhapsMade: boolean;
  /** The question that the call's server asked during it, and the answer. */
  readonly asked?: { readonly question: Question; readonly answer?: Json; readonly by?: string };
};

export type WaitingStep = StepStateFields & {
  readonly status: 'waiting';
  readonly startedAt: number;
  readonly awaiting: WaitCondition;
  /** The call that it asks about is one of the run that this one goes on from. */
  readonly isCalledBefore?: true;
  /** What it waited for and now has, until `decide` turns that into an outcome. */
  readonly arrived: ArrivedResult | undefined;
};

/** The answer of a person, the answer of the caller's model, or the end of the child run. */
export type ArrivedResult =
  | { readonly kind: 'answer'; readonly answer: Value; readonly by: string; readonly at: number }
  | {
      readonly kind: 'sample';
      readonly value: Value | undefined;
      readonly failure: Failure | undefined;
      readonly usage: Usage | undefined;
      readonly by: string;
    }
  | {
      readonly kind: 'child';
      readonly runId: string;
      readonly status: 'succeeded' | 'failed' | 'cancelled';
      readonly outputs: Value | undefined;
      readonly failure: Failure | undefined;
    };

export type StepState =
  | RunningStep
  | WaitingStep
  | (StepStateFields & { readonly status: 'retrying'; readonly resumeAt: number; readonly failure: Failure })
  | (StepStateFields & {
      readonly status: 'unknown';
      readonly failure: Failure;
      /** The call, if not this run made it, but the run that it goes on from. */
      readonly call: Call | undefined;
    })
  | (StepStateFields & {
      readonly status: 'succeeded';
      readonly value: RememberedValue;
      /** Journal position, for undoing in reverse order. */
      readonly seq: number;
      readonly undoable: boolean;
      readonly by: string | undefined;
      readonly at: number;
    })
  | (StepStateFields & { readonly status: 'failed'; readonly failure: Failure })
  | (StepStateFields & { readonly status: 'cancelled' })
  | (StepStateFields & { readonly status: 'skipped' });

export type StepStatus = 'pending' | StepState['status'];

/** All legal changes of a step's status. The diagram in docs/architecture.md is drawn from it. */
export const stepMoves = {
  /** A rerun begins with a call as unknown that the run before it left so. */
  pending: ['running', 'waiting', 'unknown', 'succeeded', 'failed', 'skipped'],
  /** A call that was not sent, as its turn at the server has passed, waits for the next one. */
  running: ['waiting', 'succeeded', 'retrying', 'unknown', 'failed', 'cancelled'],
  /** From one turn at a server to a later one. */
  waiting: ['running', 'waiting', 'succeeded', 'retrying', 'failed', 'cancelled'],
  retrying: ['running', 'waiting', 'failed', 'cancelled'],
  /** A late answer, a check or a person may still settle it. */
  unknown: ['running', 'waiting', 'succeeded', 'retrying', 'failed'],
  succeeded: [],
  failed: [],
  cancelled: [],
  skipped: [],
} as const satisfies Record<StepStatus, readonly StepStatus[]>;

/** Checks a change of a step's status against the table (invariant I6). */
export function move(from: StepState | undefined, to: StepState): StepState {
  const before: StepStatus = from?.status ?? 'pending';
  const allowed: readonly StepStatus[] = stepMoves[before];
  invariant(allowed.includes(to.status), `a step cannot go from ${before} to ${to.status}`);
  return to;
}

export const isOver = (state: StepState): boolean => stepMoves[state.status].length === 0;

/** A frame inside a step: open, or finished and kept because a step in it may still be undone. */
export function frameIn(step: StepState, name: string): Frame | undefined {
  return step.frames.get(name) ?? closedFrame(step.items?.closed, name);
}
