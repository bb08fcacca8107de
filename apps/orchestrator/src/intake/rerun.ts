/** A finished run, once more: a new run, linked, that begins with the outcomes already won (I6). */
import { ProblemError } from '@baton/api';
import type { EventOf, CarriedOutcomes, Run, RunEvent, Turn } from '@baton/engine';
import { carryOutcomes, isEnded, planFor, replay, resolve, startedPaths } from '@baton/engine';
import type { Json, JsonObject, Plan } from '@baton/language';
import { didYouMean } from '@baton/language';
import type { NewBlob, Plans } from '@baton/runner';
import { requested } from '@baton/runner';
import type { Idempotency, Store } from '@baton/store';

import { checkEffects } from '../keys/effects.ts';
import type { Principal } from '../keys/scopes.ts';
import { checkSecretUse } from '../keys/secretUse.ts';
import type { QueueBacklog } from './backlog.ts';
import { noRoom, turnAtOnce } from './rejectWhenFull.ts';
import type { RunAppender } from './runAppender.ts';
import type { RunQuota } from './runQuota.ts';
import { fitting } from './starter.ts';

export interface RerunOptions extends RunAppender {
  readonly store: Store;
  readonly plans: Plans;
  readonly backlog: QueueBacklog;
  readonly quota: RunQuota;
}

export interface RerunOrder {
  readonly kind: 'retry' | 'rerun';
  readonly journal: readonly RunEvent[];
  readonly runId: string;
  /** Of a rerun: the step from which on everything is done again; absent: all of it. */
  readonly from?: string | undefined;
  /** In place of those of the run. */
  readonly inputs?: Json | undefined;
  readonly principal: Principal;
  /** Only say what would be. */
  readonly isPreview: boolean;
  readonly idempotency: Idempotency | undefined;
}

export interface Rerun {
  /** Undefined for a preview. */
  readonly runId: string | undefined;
  readonly isNew: boolean;
  readonly kept: CarriedOutcomes;
}

/** Rejects with `ProblemError` and `UnavailableError`. */
export async function rerun(options: RerunOptions, order: RerunOrder): Promise<Rerun> {
  const { plans, clock } = options;
  const { journal, principal, isPreview } = order;
  const run = replay(order.runId, journal);
  check(run, order);
  const plan = planFor(await plans(run.definition), run);
  checkEffects(principal, plan);
  if (run.version === undefined) checkSecretUse(principal, plan);
  const at = clock.now();
  const kept = keptFor(plan, order, at);
  const first = firstOf(run, plan, order, at);
  const allowed = options.quota.limitsOf(principal.limits?.items);
  if (isPreview) return { runId: undefined, isNew: false, kept };
  options.backlog.check();
  return options.quota.within(principal.by, principal.limits?.runs, () =>
    request(options, order, run, plan, { ...first, event: { ...first.event, limits: allowed }, kept }),
  );
}

async function request(
  { store, backlog, bell, onBellFailed }: RerunOptions,
  order: RerunOrder,
  run: Run,
  plan: Plan,
  { event, blobs, kept }: ReturnType<typeof firstOf> & Pick<Rerun, 'kept'>,
): Promise<Rerun> {
  const { idempotency } = order;
  const turn = await turnFor(store, plan, run, order);
  const made = await store.request({ event, blobs, more: kept.events, turn, ...(idempotency && { idempotency }) });
  if (made.kind === 'full') throw noRoom(run.workflow, made.runId);
  if (made.kind === 'key-reused') {
    throw new ProblemError('idempotency-key-reused', 'This idempotency key was used before, for something else.');
  }
  const isNew = made.kind === 'created';
  if (isNew) backlog.add();
  if (isNew) bell.ring([{ runId: made.runId, priority: run.priority }]).catch(onBellFailed);
  return { runId: made.runId, isNew, kept };
}

async function turnFor({ blobs }: Store, plan: Plan, run: Run, { inputs }: RerunOrder): Promise<Turn | undefined> {
  if (plan.concurrency === undefined) return undefined;
  const before = 'blob' in run.inputs ? await blobs.get(run.inputs.blob.sha256) : undefined;
  const old = before === undefined ? resolve(run.inputs, () => null) : (JSON.parse(before) as Json);
  return turnAtOnce(plan, run, { inputs: (inputs ?? old) as JsonObject, isDelayed: false });
}

/** Throws `ProblemError`. */
function check(run: Run, { kind, journal, from }: RerunOrder): void {
  if (run.session !== undefined) {
    const message =
      'The steps of a session are what its client asked for, and are not done again. `baton learn` makes a workflow of them.';
    throw new ProblemError('conflict', message);
  }
  if (!isEnded(run)) throw new ProblemError('not-finished', `The run is ${run.status}. Wait for it, or cancel it.`);
  if (kind === 'retry' && run.status === 'succeeded') {
    throw new ProblemError('conflict', 'The run has succeeded: there is nothing to retry. Use rerun to do it again.');
  }
  if (from === undefined) return;
  const paths = startedPaths(journal);
  if (paths.includes(from)) return;
  const hint = didYouMean(from, paths);
  const message = `No step ${JSON.stringify(from.slice(0, 80))} has begun in this run.`;
  throw new ProblemError('validation-failed', message, {
    errors: [{ pointer: `/from`, code: 'unknown-step', message, ...(hint && { hint }) }],
  });
}

function keptFor(plan: Plan, { kind, journal, from }: RerunOrder, at: number): CarriedOutcomes {
  if (kind === 'retry' || from !== undefined) return carryOutcomes(plan, journal, { at, from });
  const all = carryOutcomes({ ...plan, steps: { ...plan.steps, steps: [] } }, journal, { at });
  return { events: [], again: all.again };
}

/** As the first one was asked for, but for what is new. Throws `ProblemError`. */
function firstOf(
  run: Run,
  plan: Plan,
  { kind, journal, from, inputs, principal }: RerunOrder,
  at: number,
): { event: EventOf<'run.requested'>; blobs: readonly NewBlob[] } {
  const { parent: _parent, notBefore: _notBefore, ...before } = journal[0] as EventOf<'run.requested'>;
  const detail = { run: run.id, ...(from === undefined ? {} : { from }) };
  const event = { ...before, at, by: principal.by, trigger: { kind, detail }, rerunOf: run.id } as const;
  if (inputs === undefined) return { event, blobs: [] };
  const { workflow, definition } = run;
  const order = {
    workflow,
    definition,
    inputs: fitting(plan, inputs),
    trigger: event.trigger,
    by: event.by,
  };
  const fresh = requested(order, at);
  return { event: { ...event, inputs: fresh.event.inputs }, blobs: fresh.blobs };
}
