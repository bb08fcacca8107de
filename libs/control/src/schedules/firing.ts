/** Decides about one time of a schedule: a run, a place in the queue, or nothing and why. */
import { ProblemError } from '@baton/api';
import { FailureError } from '@baton/engine';
import { EvaluationError } from '@baton/expressions';
import type { ScheduleTrigger } from '@baton/language';
import type { Json } from '@baton/primitives';
import type { Plans } from '@baton/runner';
import { type FiringOutcome, type Schedule, type Store, activeRuns, getIdempotencyKey } from '@baton/store';

import type { Triggers } from '../deploy/triggers.ts';
import { cancelRun } from '../intake/cancel.ts';
import type { RunAppender } from '../intake/runAppender.ts';
import type { RunStarter } from '../intake/starter.ts';
import { triggerPrincipal } from '../keys/triggerPrincipal.ts';

export interface FiringOptions extends RunAppender {
  readonly store: Store;
  readonly starter: RunStarter;
  readonly triggers: Triggers;
  readonly plans: Plans;
}

/** Unfinished runs of a schedule; beyond this number no more are looked up. */
const activeMax = 100;

/**
 * Rejects with `UnavailableError`; the time is then handled again, and a run that was started already is found by its
 * idempotency key.
 */
export async function fire(
  options: FiringOptions,
  schedule: Schedule,
  { instant, isBackfill = false }: { readonly instant: number; readonly isBackfill?: boolean },
): Promise<FiringOutcome> {
  const { store } = options;
  for (const id of [schedule.id, ...schedule.formerly]) {
    const before = await getIdempotencyKey(store, idempotencyOf({ id }, instant));
    if (before !== undefined) return { outcome: 'started', runId: before.runId };
  }
  const active = schedule.overlap === 'allow' ? [] : await activeRuns(store, schedule, activeMax);
  const isBusy = active.length > 0;
  if (isBusy && (schedule.overlap === 'queue' || isBackfill)) return { outcome: 'queued' };
  if (isBusy && schedule.overlap === 'skip')
    return { outcome: 'skipped', reason: `run ${active[0] ?? ''} is not over` };
  const outcome = await start(options, schedule, instant, isBackfill);
  // Starts the new run first: a crash in between leaves both runs, not none.
  const replaced = outcome.outcome === 'started' ? active.filter((id) => id !== outcome.runId) : [];
  for (const runId of replaced) await replace(options, runId, schedule);
  return outcome;
}

const idempotencyOf = ({ id }: Pick<Schedule, 'id'>, instant: number) => ({
  scope: `schedule ${id}`,
  key: new Date(instant).toISOString(),
  digest: 'schedule',
});

async function start(
  options: FiringOptions,
  schedule: Schedule,
  instant: number,
  isBackfill: boolean,
): Promise<FiringOutcome> {
  const { id, workflow, version } = schedule;
  const detail = { schedule: id, instant: new Date(instant).toISOString(), ...(isBackfill ? { backfill: true } : {}) };
  try {
    const inputs = await scheduledInputs(options, schedule, detail);
    const principal = triggerPrincipal(`schedule ${id}`, workflow);
    const order = { inputs, principal, trigger: { kind: 'schedule', detail } } as const;
    const { runId } = await options.starter.start({ workflow, version }, order, idempotencyOf(schedule, instant));
    return { outcome: 'started', runId };
  } catch (error) {
    const isTheirs = error instanceof ProblemError && error.status < 500 && error.code !== 'in-progress';
    if (!isTheirs && !(error instanceof EvaluationError) && !(error instanceof FailureError)) throw error;
    return { outcome: 'refused', reason: error.message };
  }
}

/** Rejects with `EvaluationError`, and with `ProblemError` if the schedule no longer exists. */
export async function scheduledInputs(
  { store, triggers }: Pick<FiringOptions, 'store' | 'triggers'>,
  { workflow, version, trigger }: Schedule,
  event: Readonly<Record<string, Json>>,
): Promise<Json> {
  const found = await store.findVersion({ workflow, version });
  const all = found === undefined ? [] : await triggers(found.definition);
  const own = all.find((one): one is ScheduleTrigger => one.kind === 'schedule' && one.key === trigger);
  if (own === undefined) throw new ProblemError('not-found', `The workflow ${workflow} has no such schedule any more.`);
  return own.inputs.evaluate({ event });
}

async function replace(options: FiringOptions, runId: string, { id }: Schedule): Promise<void> {
  const request = { by: `schedule ${id}`, reason: 'the next run of the schedule takes its place' };
  await cancelRun(options, runId, request).catch((error: unknown) => {
    if (!(error instanceof ProblemError)) throw error;
  });
}
