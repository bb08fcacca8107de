/** Folds new events into a run, and then what `decide` returns, until it returns no more events. */
import type { Plan } from '@baton/language';
import type { Json } from '@baton/primitives';

import { invariant } from '../invariant.ts';
import type { RunEvent } from '../state/event.ts';
import { evolve } from '../state/evolve.ts';
import type { Run } from '../state/run.ts';
import { type Blobs, positionIn } from '../state/value.ts';
import { type CallTurns, noCallTurns } from './callTurns.ts';
import { always, decide, noneRefused } from './decide.ts';
import type { Command, Decision, Refusals } from './decision.ts';

export interface SettledRun {
  /** The run with everything folded in. */
  readonly run: Run;
  /** `happened` and what follows, in order: to be appended together. */
  readonly events: readonly RunEvent[];
  readonly perform: readonly Command[];
  readonly abort: Decision['abort'];
  readonly wakeAt: number | undefined;
  /** There is more to decide: append these events and call `settle` again before carrying out any command. */
  readonly isUnfinished?: true;
}

export interface DecisionInputs {
  readonly nowMs: number;
  readonly blobs: Blobs;
  /**
   * Moves large values out of the event, and returns it as it will be stored. Collects the blobs: the only effect that
   * `settle` has.
   */
  readonly offload: (event: RunEvent) => RunEvent;
  /**
   * Called now and then; false: return what was decided so far, the rest is decided later. Absent: decide everything.
   */
  readonly shouldContinue?: () => boolean;
  /** Absent: none. */
  readonly refusals?: Refusals;
  /** Turns of calls at servers. Absent: each call has its turn at once. */
  readonly callTurns?: CallTurns;
}

/** The value of an event that a state refers to by its journal position. */
export const valueIn = (event: RunEvent): Json | undefined =>
  event.type === 'step.succeeded' && 'json' in event.value ? event.value.json : undefined;

/** The steps of a workflow times their nesting are far below this: exceeding it is a bug. */
const roundsMax = 100_000;

/** Throws `BlobsNeeded` where a value must be fetched first; nothing has changed then. */
export function settle(plan: Plan, before: Run, happened: readonly RunEvent[], inputs: DecisionInputs): SettledRun {
  const { nowMs, shouldContinue = always, refusals = noneRefused, callTurns = noCallTurns } = inputs;
  const events: RunEvent[] = [];
  // The events folded here are not in the journal yet, so the caller's `blobs` cannot find their values.
  const blobs: Blobs = (key) => {
    const event = events[(positionIn(key) ?? 0) - before.seq - 1];
    return event === undefined ? inputs.blobs(key) : valueIn(event);
  };
  let run = before;
  const take = (event: RunEvent): void => {
    const stored = inputs.offload(event);
    run = evolve(run, stored);
    events.push(stored);
  };
  happened.forEach(take);
  for (let round = 0; round < roundsMax; round++) {
    const {
      events: news,
      perform,
      abort,
      wakeAt,
    } = decide(plan, run, nowMs, blobs, { dispatchedUpTo: before.seq, shouldContinue, refusals, callTurns });
    if (news.length === 0) return { run, events, perform, abort, wakeAt };
    news.forEach(take);
    if (!shouldContinue()) return { run, events, perform, abort, wakeAt, isUnfinished: true };
  }
  invariant(false, `the run ${before.id} does not settle`);
}
