/** What a person does about a database that went back in time: looks at what is missing, and lets the runs go on. */
import { type Fence, instant, ProblemError } from '@baton/api';
import { type Run, isEnded, possibleCalls } from '@baton/engine';
import { instantsAfter } from '@baton/language';
import { type Clock, type Journal, type Plans, advanceUnlessForged, openRun } from '@baton/runner';
import {
  type RaisedFence,
  type Store,
  countRuns,
  forgetRunEnds,
  listSchedules,
  passOverPolls,
  readFence,
  removeFence,
  runIds,
  setNextInstant,
} from '@baton/store';

import { DeployedTriggers } from '../deploy/deployedTriggers.ts';
import { cachedTriggers } from '../deploy/triggers.ts';
import type { Principal } from '../keys/scopes.ts';
import { namedPoll } from '../polls/deployedPoll.ts';

export interface FenceOptions {
  readonly store: Store;
  readonly journal: Journal;
  readonly plans: Plans;
  readonly clock: Pick<Clock, 'now'>;
}

/** Runs that are shown with what they may have called. */
const shownMax = 100;
const countedMax = 100_000;
const pageMax = 500;
/** Appends at a time: they share commits. */
const togetherMax = 50;
const active = { statuses: ['queued', 'running', 'waiting'] } as const;

/** Rejects with `UnavailableError`. */
export async function showFence({ store, journal, plans }: FenceOptions): Promise<Fence> {
  const fence = await readFence(store);
  if (fence === undefined) return { stands: false, activeRuns: 0, runs: [] };
  const { cause, from, to, message } = fence;
  const [{ ids }, activeRuns] = await Promise.all([
    runIds(store, active, { limit: shownMax }),
    countRuns(store, active, countedMax),
  ]);
  const runs: Fence['runs'] = [];
  for (const id of ids) {
    const opened = await openRun(journal, id).catch(() => undefined);
    if (opened !== undefined && !isEnded(opened.run)) runs.push(await shownRun(plans, opened.run));
  }
  return { stands: true, cause, from: instant(from), to: instant(to), message, activeRuns, runs };
}

async function shownRun(plans: Plans, run: Run): Promise<Fence['runs'][number]> {
  const { id, workflow, status } = run;
  return { id, workflow, status, calls: possibleCalls(await plans(run.definition), run) };
}

export interface FenceLiftOrder {
  readonly reason: string;
  /** Calls of the lost time are taken for not made. */
  readonly trust: boolean;
  /** Schedules fire the instants of the lost time. */
  readonly makeUp: boolean;
}

/**
 * Tells every active run that it went back in time, lets schedules pass over the lost time, and then removes the fence. A
 * lift that was cut off is begun anew. Rejects with `ProblemError` and `UnavailableError`.
 */
export async function letRunsGoOn(
  options: FenceOptions,
  { reason, trust, makeUp }: FenceLiftOrder,
  { by }: Pick<Principal, 'by'>,
): Promise<{ runs: number; schedules: string[] }> {
  const { store } = options;
  const fence = await readFence(store);
  if (fence === undefined) throw new ProblemError('conflict', 'The fence does not stand: nothing is to be lifted.');
  const runs = trust ? 0 : await rewindRuns(options, fence, by);
  const schedules = trust || makeUp ? [] : await passOver(store, fence);
  if (!trust && !makeUp) {
    // One whose definition was changed polls nothing; the poller tells that.
    const polls = await new DeployedTriggers(store, cachedTriggers(store), () => undefined).of('poll', 'event');
    await passOverPolls(store, polls.map(namedPoll));
  }
  await forgetRunEnds(store);
  await removeFence(store, { by, reason, isTrusted: trust, runs });
  await store.history.lookAnew();
  return { runs, schedules };
}

async function rewindRuns(options: FenceOptions, fence: RaisedFence, by: string): Promise<number> {
  let runs = 0;
  for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const page: Awaited<ReturnType<typeof runIds>> = await runIds(options.store, active, { limit: pageMax, after });
    for (let at = 0; at < page.ids.length; at += togetherMax) {
      const together = page.ids.slice(at, at + togetherMax);
      const told = await Promise.all(together.map((runId) => rewindRun(options, runId, fence, by)));
      runs += told.filter(Boolean).length;
    }
    after = page.next;
  }
  return runs;
}

/** Resolves to whether the run goes on: a forged journal does not. */
async function rewindRun(
  { journal, clock }: FenceOptions,
  runId: string,
  { from, to }: RaisedFence,
  by: string,
): Promise<boolean> {
  const advanced = await advanceUnlessForged(journal, runId, (run) => {
    const isTold = run.rewind?.from === from && run.rewind.to === to && !run.rewind.isOfAnotherRun;
    if (isEnded(run) || isTold) return [];
    return [{ type: 'run.rewound', at: Math.max(clock.now(), run.at), from, to, by }];
  });
  return advanced !== undefined && !isEnded(advanced.run);
}

/** Resolves to the ids of the schedules that had instants in the lost time. */
async function passOver(store: Store, { to }: RaisedFence): Promise<string[]> {
  const passed: string[] = [];
  for (let after: string | undefined = ''; after !== undefined;) {
    const page: Awaited<ReturnType<typeof listSchedules>> = await listSchedules(store, {}, { limit: pageMax, after });
    for (const schedule of page.schedules) {
      if (schedule.nextAt === undefined || schedule.nextAt > to) continue;
      const [nextAt] = instantsAfter(schedule, to).take(1);
      await setNextInstant(store, schedule.id, nextAt);
      passed.push(schedule.id);
    }
    after = page.next;
  }
  return passed;
}
