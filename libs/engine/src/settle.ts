/** Takes in what happened, then everything that follows from it, until nothing more does. */
import type { Plan } from '@baton/language';

import { decide } from './decide.ts';
import type { Command, Decision } from './decision.ts';
import type { RunEvent } from './event.ts';
import { evolve } from './evolve.ts';
import { invariant } from './invariant.ts';
import type { Run } from './run.ts';
import type { Blobs } from './value.ts';

export interface Settled {
  /** The run with everything folded in. */
  readonly run: Run;
  /** `happened` and what follows, in order: to be appended together. */
  readonly events: readonly RunEvent[];
  readonly perform: readonly Command[];
  readonly abort: Decision['abort'];
  readonly wakeAt: number | undefined;
}

export interface Surroundings {
  readonly nowMs: number;
  readonly blobs: Blobs;
  /** Puts large values aside: the event as it will be stored. Pure. */
  readonly keep: (event: RunEvent) => RunEvent;
}

/** A workflow's steps times its nesting are far below this; what passes it is a bug, not a long run. */
const roundsMax = 100_000;

/** Throws `BlobsNeeded` where a value must be fetched first; nothing has happened then. */
export function settle(plan: Plan, before: Run, happened: readonly RunEvent[], around: Surroundings): Settled {
  const events: RunEvent[] = [];
  let run = before;
  const take = (event: RunEvent): void => {
    const kept = around.keep(event);
    run = evolve(run, kept);
    events.push(kept);
  };
  happened.forEach(take);
  for (let round = 0; round < roundsMax; round++) {
    const { events: news, perform, abort, wakeAt } = decide(plan, run, around.nowMs, around.blobs, before.seq);
    if (news.length === 0) return { run, events, perform, abort, wakeAt };
    news.forEach(take);
  }
  invariant(false, `the run ${before.id} does not settle`);
}
