/**
 * What follows from a run as it stands: facts to append, and what the world should be doing meanwhile.
 *
 * `perform`, `abort` and `wakeAt` are level-triggered: they are the same each time the question is asked of the same
 * run, and whoever asks compares them with what is going on already.
 */
import type { CallStep, Plan } from '@baton/language';

import type { WaitCondition, Call, RunEvent } from '../state/event.ts';
import type { Path } from '../state/path.ts';
import type { Run } from '../state/run.ts';
import type { Blobs } from '../state/value.ts';

export type Command =
  /** A call that should be in flight. */
  | {
      readonly kind: 'call';
      readonly path: Path;
      readonly attempt: number;
      readonly call: Call;
      readonly step: CallStep;
    }
  /** A child run that should exist. */
  | {
      readonly kind: 'child';
      readonly path: Path;
      readonly attempt: number;
      readonly awaiting: Extract<WaitCondition, { for: 'child' }>;
    }
  /** A child run that should end. */
  | { readonly kind: 'cancelChild'; readonly path: Path; readonly attempt: number; readonly reason: string };

export interface Decision {
  readonly events: readonly RunEvent[];
  readonly perform: readonly Command[];
  /** Calls in flight that should be given up: `path` and why. */
  readonly abort: ReadonlyMap<Path, string>;
  /** The next instant at which time alone changes something. */
  readonly wakeAt: number | undefined;
}

/** Why what is active in a block must come to an end. */
export type StopReason = string | undefined;

/** How a block, or a step with all that hangs on it, stands. */
export type BlockVerdict =
  | { readonly kind: 'open' }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly failure: NonNullable<Run['failure']> }
  | { readonly kind: 'stopped' };

export const open: BlockVerdict = { kind: 'open' };
export const done: BlockVerdict = { kind: 'done' };
export const stopped: BlockVerdict = { kind: 'stopped' };

type Question = Pick<DecisionInProgress, 'plan' | 'run' | 'nowMs' | 'blobs' | 'madeUpTo' | 'mayGoOn'>;

/** One question in the making. Local to a call of `decide`. */
export class DecisionInProgress {
  readonly plan: Plan;
  readonly run: Run;
  readonly nowMs: number;
  readonly blobs: Blobs;
  /** Calls that began after this position have not been made yet. */
  readonly madeUpTo: number;
  /** Asked now and then; false: enough for now, the rest when the question is asked again. */
  readonly mayGoOn: () => boolean;
  /** Asks how things stand, without consequences: what is active is not looked into. */
  readonly isProbe: boolean;
  readonly events: RunEvent[] = [];
  readonly perform: Command[] = [];
  readonly abort = new Map<Path, string>();
  wakeAt: number | undefined;
  /** How often the answer hung on something that no frame shows: the clock, or a signal. */
  hangings = 0;
  #isEnough = false;

  constructor({ plan, run, nowMs, blobs, madeUpTo, mayGoOn }: Question, isProbe = false) {
    this.plan = plan;
    this.run = run;
    this.nowMs = nowMs;
    this.blobs = blobs;
    this.madeUpTo = madeUpTo;
    this.mayGoOn = mayGoOn;
    this.isProbe = isProbe;
  }

  /** True when nothing new is to begin in this answer. There is always something in it, so that it comes to an end. */
  isEnough(): boolean {
    this.#isEnough ||= this.events.length > 0 && !this.mayGoOn();
    return this.#isEnough;
  }

  /** True when `instant` has come; otherwise the run is to be woken then. */
  isDue(instant: number): boolean {
    this.hangings += 1;
    if (instant <= this.nowMs) return true;
    this.wakeAt = Math.min(this.wakeAt ?? instant, instant);
    return false;
  }
}
