/**
 * The answer of `decide`: events to append, and the calls and children that should be active meanwhile.
 *
 * `perform`, `abort` and `wakeAt` are level-triggered: they are the same each time for the same run, and the driver
 * compares them with what is already active.
 */
import type { CallStep, Plan } from '@baton/language';

import type { Failure } from '../failure.ts';
import type { CancelCause, WaitCondition, Call, RunEvent } from '../state/event.ts';
import type { Path } from '../state/path.ts';
import type { RunningRun } from '../state/run.ts';
import type { Blobs } from '../state/value.ts';
import type { CallTurns } from './callTurns.ts';
import { SignalSearch } from './signalSearch.ts';

export type Command =
  /** A call that should be in flight. */
  | {
      readonly kind: 'call';
      readonly path: Path;
      readonly attempt: number;
      readonly call: Call;
      readonly step: CallStep;
    }
  /** A turn at a server that should be asked for. */
  | {
      readonly kind: 'turn';
      readonly path: Path;
      readonly attempt: number;
      readonly server: string;
      /** See `pacedName`. */
      readonly name: string;
      /** The turn that it had, which has come. Epoch milliseconds. */
      readonly had?: number;
      /** A client waits: a turn that is further away is not taken. */
      readonly withinMs?: number;
    }
  /** A child run that should exist. */
  | {
      readonly kind: 'child';
      readonly path: Path;
      readonly attempt: number;
      readonly awaiting: Extract<WaitCondition, { for: 'child' }>;
    }
  /** A child run that should end. */
  | {
      readonly kind: 'cancelChild';
      readonly path: Path;
      readonly attempt: number;
      readonly reason: string;
      readonly cause?: CancelCause;
    };

export interface Decision {
  readonly events: readonly RunEvent[];
  readonly perform: readonly Command[];
  /** Calls in flight that should be aborted: path and reason. */
  readonly abort: ReadonlyMap<Path, string>;
  /** The next instant at which time alone changes the answer. */
  readonly wakeAt: number | undefined;
}

/** Why the active steps of a block must end. */
export type StopReason = string | undefined;

/** Writes of state that the database has refused, and calls that a budget over time refuses, by the path of the step. */
export type Refusals = ReadonlyMap<Path, Failure>;

/** The state of a block, or of a step with everything inside it. */
export type BlockVerdict =
  | { readonly kind: 'open' }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'stopped' };

/** The decision for a run that no worker drives. */
export const noDecision: Decision = { events: [], perform: [], abort: new Map(), wakeAt: undefined };

export const open: BlockVerdict = { kind: 'open' };
export const done: BlockVerdict = { kind: 'done' };
export const stopped: BlockVerdict = { kind: 'stopped' };

type DecisionSetup = Pick<
  DecisionInProgress,
  'plan' | 'run' | 'nowMs' | 'blobs' | 'dispatchedUpTo' | 'shouldContinue' | 'refusals' | 'callTurns'
>;

/** One decision in progress. Local to a call of `decide`. */
export class DecisionInProgress {
  readonly plan: Plan;
  readonly run: RunningRun;
  readonly nowMs: number;
  readonly blobs: Blobs;
  /** Calls that began after this position have not been made yet. */
  readonly dispatchedUpTo: number;
  /** Called now and then; false: stop here, the next call of `decide` returns the rest. */
  readonly shouldContinue: () => boolean;
  readonly refusals: Refusals;
  readonly callTurns: CallTurns;
  /** Only reads the state of finished parts, without events or commands; active steps are not looked into. */
  readonly isProbe: boolean;
  readonly events: RunEvent[] = [];
  readonly perform: Command[] = [];
  readonly abort = new Map<Path, string>();
  wakeAt: number | undefined;
  /** Counts reads of the clock or of signals; a frame's result may be cached only if this did not change. */
  timeDependencies = 0;
  /** Items of `forEach` steps that begin in this decision. */
  itemsBegun = 0;
  readonly signalSearch = new SignalSearch();
  #isEnough = false;

  constructor(
    { plan, run, nowMs, blobs, dispatchedUpTo, shouldContinue, refusals, callTurns }: DecisionSetup,
    isProbe = false,
  ) {
    this.plan = plan;
    this.run = run;
    this.nowMs = nowMs;
    this.blobs = blobs;
    this.dispatchedUpTo = dispatchedUpTo;
    this.shouldContinue = shouldContinue;
    this.refusals = refusals;
    this.callTurns = callTurns;
    this.isProbe = isProbe;
  }

  /**
   * True when this answer should begin nothing more. It always holds at least one event, so that repeated calls come to
   * an end.
   */
  isEnough(): boolean {
    this.#isEnough ||= this.events.length > 0 && !this.shouldContinue();
    return this.#isEnough;
  }

  /** True when `instant` has come; otherwise the run wakes up then. */
  isDue(instant: number): boolean {
    this.timeDependencies += 1;
    if (instant <= this.nowMs) return true;
    this.wakeAt = Math.min(this.wakeAt ?? instant, instant);
    return false;
  }
}
