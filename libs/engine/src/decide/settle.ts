/** Takes in what happened, then everything that follows from it, until nothing more does. */
import type { Json, Plan } from '@baton/language';

import { invariant } from '../invariant.ts';
import type { RunEvent } from '../state/event.ts';
import { evolve } from '../state/evolve.ts';
import type { Run } from '../state/run.ts';
import type { Blobs } from '../state/value.ts';
import { positionIn } from '../state/value.ts';
import { always, decide } from './decide.ts';
import type { Command, Decision } from './decision.ts';

export interface SettledRun {
  /** The run with everything folded in. */
  readonly run: Run;
  /** `happened` and what follows, in order: to be appended together. */
  readonly events: readonly RunEvent[];
  readonly perform: readonly Command[];
  readonly abort: Decision['abort'];
  readonly wakeAt: number | undefined;
  /** There is more to decide: these events are to be appended, and the question asked again before anything is done. */
  readonly isUnfinished?: true;
}

export interface DecisionInputs {
  readonly nowMs: number;
  readonly blobs: Blobs;
  /** Puts large values aside: the event as it will be stored. Pure. */
  readonly keep: (event: RunEvent) => RunEvent;
  /** Asked now and then; false: others wait for the process, and what is left can be decided later. Absent: never. */
  readonly mayGoOn?: () => boolean;
}

/** The value of an event that a state has left in the journal. */
export const valueIn = (event: RunEvent): Json | undefined =>
  event.type === 'step.succeeded' && 'json' in event.value ? event.value.json : undefined;

/** A workflow's steps times its nesting are far below this; what passes it is a bug, not a long run. */
const roundsMax = 100_000;

/** Throws `BlobsNeeded` where a value must be fetched first; nothing has happened then. */
export function settle(plan: Plan, before: Run, happened: readonly RunEvent[], around: DecisionInputs): SettledRun {
  const { nowMs, mayGoOn = always } = around;
  const events: RunEvent[] = [];
  // What has only just happened is in nobody's journal yet.
  const blobs: Blobs = (key) => {
    const event = events[(positionIn(key) ?? 0) - before.seq - 1];
    return event === undefined ? around.blobs(key) : valueIn(event);
  };
  let run = before;
  const take = (event: RunEvent): void => {
    const kept = around.keep(event);
    run = evolve(run, kept);
    events.push(kept);
  };
  happened.forEach(take);
  for (let round = 0; round < roundsMax; round++) {
    const { events: news, perform, abort, wakeAt } = decide(plan, run, nowMs, blobs, { madeUpTo: before.seq, mayGoOn });
    if (news.length === 0) return { run, events, perform, abort, wakeAt };
    news.forEach(take);
    if (!mayGoOn()) return { run, events, perform, abort, wakeAt, isUnfinished: true };
  }
  invariant(false, `the run ${before.id} does not settle`);
}
