/** Starts a finished run again: a new run, linked to the old one, that begins with its successful outcomes (I6). */
import { ProblemError } from '@baton/api';
import {
  type EventOf,
  type CarriedOutcomes,
  type RequestedTurn,
  type Run,
  Trace,
  isEnded,
  letsItemsFail,
  planFor,
  replay,
  startedPaths,
} from '@baton/engine';
import { didYouMean } from '@baton/expressions';
import type { Plan } from '@baton/language';
import { type JsonObject, defined } from '@baton/primitives';
import { type CallsInTree, type NewBlob, type Plans, type StartOffers, requested } from '@baton/runner';
import { type Store, getRun, keepIdempotencyKey, newestRetries, undosOf } from '@baton/store';

import type { BudgetGuard } from '../budgets/budgetGuard.ts';
import { checkApproval, checkEffects } from '../keys/effects.ts';
import { maySee } from '../keys/keyAccess.ts';
import { onWorkflow } from '../keys/narrowing.ts';
import { personBehind } from '../keys/personBehind.ts';
import { checkScopes } from '../keys/scopes.ts';
import { checkSecretUse } from '../keys/secretUse.ts';
import type { QueueBacklog } from './backlog.ts';
import { type EarlierRun, earlierRun, keyReused } from './earlierRun.ts';
import { outermostRetry } from './goneOnWith.ts';
import { inputsOf, pastWork } from './pastWork.ts';
import { concurrencyFull, turnToRequest } from './rejectWhenFull.ts';
import type { RerunOrder, RerunTarget } from './rerunOrder.ts';
import type { RunAppender } from './runAppender.ts';
import type { RunQuota } from './runQuota.ts';
import { fitInputs } from './starter.ts';
import { checkToldAnswers } from './toldOutput.ts';

export interface RerunOptions extends RunAppender {
  readonly store: Store;
  readonly plans: Plans;
  readonly backlog: QueueBacklog;
  readonly startOffers: StartOffers;
  readonly quota: RunQuota;
  readonly budgets: Pick<BudgetGuard, 'checkStart'>;
}

export interface Rerun {
  /** Undefined for a preview. */
  readonly runId: string | undefined;
  readonly isNew: boolean;
  /** The version of the new run; undefined for an inline workflow. */
  readonly version: number | undefined;
  /** The newest version, if it is newer. */
  readonly newerVersion: number | undefined;
  /** The newest retry of the run before this one. */
  readonly retriedAs: string | undefined;
  /** The outermost run above it, if its retry goes on from this one too. */
  readonly retryInstead: string | undefined;
  readonly kept: CarriedOutcomes;
  readonly repeated: CallsInTree;
}

/** Rejects with `ProblemError` and `UnavailableError`. */
export async function rerun(options: RerunOptions, given: RerunOrder): Promise<Rerun> {
  const { store, clock } = options;
  const run = replay(given.runId, given.journal);
  const order = { ...given, principal: onWorkflow(given.principal, run.workflow) };
  const { principal, isPreview } = order;
  check(run, order);
  // It is the answer to the question of `ifUnknown: ask`, so it needs the same right.
  if (order.told !== undefined && order.told.length > 0) checkScopes(principal, ['questions:answer']);
  // In this order, and before the runs that go on from it: the store finds what another request makes meanwhile.
  const newest = await newestRetry(store, run);
  const before = isPreview ? undefined : await earlierRun(store, order.idempotency);
  if (before === undefined) await checkNotUndone(store, run, order);
  const retriedAs = before === undefined ? newest : await newestRetry(store, run, before.runId);
  const target = await targetOf(options, run, before ? await asAskedFirst(store, order, before) : order);
  const { version, plan } = target;
  checkEffects(principal, plan);
  if (version === undefined) {
    checkApproval(principal, plan);
    checkSecretUse(principal, plan);
  }
  const newerVersion = await newerThan(options, run, order, version);
  const at = clock.now();
  const inputs = await inputsFor(store, run, plan, order);
  checkToldAnswers(plan, order.told ?? []);
  const { kept, repeated } = await pastWork(options, run, target, { ...order, given: inputs, before }, at);
  const first = firstEventOf(run, target, { ...order, inputs }, at);
  const retryInstead = await retryAbove(store, run, order);
  const about = { version, newerVersion, retriedAs, retryInstead, kept, repeated };
  const allowed = options.quota.limitsOf(principal.limits);
  if (before !== undefined) return { ...about, ...before };
  if (!isPreview && isUnseen(order, retriedAs)) {
    const unseen = await joined(store, order, retriedAs, target.definition);
    return { ...about, retriedAs: await newestRetry(store, run, retriedAs), ...unseen };
  }
  await checkNoneUnderWay(options, run, order, { retriedAs, underWay: repeated.underWay });
  if (isPreview) return { ...about, runId: undefined, isNew: false };
  await options.budgets.checkStart(run.workflow);
  options.backlog.check();
  const started = await options.quota.within(principal.by, principal.limits?.runs, () =>
    request(options, order, run, plan, { ...first, event: { ...first.event, limits: allowed }, kept, retriedAs }),
  );
  return { ...about, ...started };
}

async function targetOf({ store, plans }: RerunOptions, run: Run, { version }: RerunOrder): Promise<RerunTarget> {
  if (version === undefined) {
    const whole = await plans(run.definition);
    return { version: run.version, definition: run.definition, whole, plan: planFor(whole, run) };
  }
  if (run.version === undefined || run.part !== undefined) {
    const what = run.part === undefined ? 'an inline workflow' : 'an item of a `forEach`';
    throw new ProblemError('conflict', `The run is of ${what}, and has no other version.`);
  }
  const { workflow } = run;
  const found = await store.findVersion(version === 'latest' ? { workflow } : { workflow, version });
  if (found === undefined) {
    const message = `The workflow ${workflow} has no version ${version}.`;
    throw new ProblemError('validation-failed', message, {
      errors: [{ pointer: '/version', code: 'unknown-version', message }],
    });
  }
  const plan = await plans(found.definition);
  return { ...found, whole: plan, plan };
}

/** With the version that was the latest when the request came first. */
async function asAskedFirst(store: Store, order: RerunOrder, { runId }: EarlierRun): Promise<RerunOrder> {
  if (order.version !== 'latest') return order;
  const made = await getRun(store, runId);
  return { ...order, version: made?.version ?? order.version };
}

const newestRetry = async (store: Store, { id }: Run, olderThan?: string): Promise<string | undefined> =>
  (await newestRetries(store, [id], olderThan)).get(id);

async function retryAbove({ journal }: Store, { parent }: Run, { kind, principal }: RerunOrder) {
  if (kind !== 'retry') return undefined;
  return (await outermostRetry(journal, (workflow) => maySee(principal, workflow))(parent))?.runId;
}

/** Undefined where the new run cannot be of another version. */
async function newerThan(
  { store }: RerunOptions,
  run: Run,
  { kind }: RerunOrder,
  version: number | undefined,
): Promise<number | undefined> {
  if (version === undefined || (kind === 'retry' && run.status === 'succeeded')) return undefined;
  const newest = await store.findVersion({ workflow: run.workflow });
  return newest !== undefined && newest.version > version ? newest.version : undefined;
}

/** The inputs of the new run, if they differ from those in the old journal. */
async function inputsFor(
  { blobs }: Store,
  run: Run,
  plan: Plan,
  { inputs, version }: RerunOrder,
): Promise<JsonObject | undefined> {
  if (inputs !== undefined) return fitInputs(plan, inputs);
  if (version === undefined) return undefined;
  return fitInputs(plan, await inputsOf(blobs, run));
}

type NewRerun = Pick<Rerun, 'kept'> & { readonly retriedAs: string | undefined };

/** Whether the run was retried since the caller looked. */
const isUnseen = ({ retriedAs: seen }: RerunOrder, newest: string | undefined): newest is string =>
  seen !== undefined && newest !== undefined && newest !== seen;

/**
 * Of retries at the same moment one is made, and is the answer to all, also when they are repeated. Rejects with
 * `ProblemError` if it is another.
 */
async function joined(
  store: Store,
  { idempotency, told = [] }: RerunOrder,
  runId: string,
  definition: string,
): Promise<Pick<Rerun, 'runId' | 'isNew'>> {
  const made = await getRun(store, runId);
  if (told.length > 0)
    throw new ProblemError('conflict', `The run ${runId} went on from it meanwhile, and was not told the outcomes.`);
  if (made?.definition !== definition)
    throw new ProblemError('conflict', `The run ${runId} went on from it meanwhile, with another version.`);
  if (idempotency !== undefined) await keepIdempotencyKey(store, idempotency, runId);
  return { runId, isNew: false };
}

async function request(
  { store, backlog, startOffers, bell, onBellFailed }: RerunOptions,
  order: RerunOrder,
  run: Run,
  plan: Plan,
  { event, blobs, kept, retriedAs }: ReturnType<typeof firstEventOf> & NewRerun,
): Promise<Pick<Rerun, 'runId' | 'isNew'>> {
  const { idempotency } = order;
  const turns = await turnsFor(store, plan, run, order);
  const made = await store.request({
    event,
    blobs,
    more: kept.events,
    ...turns,
    ...(idempotency && { idempotency }),
    ...(order.kind === 'retry' && { retriedAs: retriedAs ?? null }),
  });
  if (made.kind === 'retried') return joined(store, order, made.runId, event.definition);
  if (made.kind === 'undone') throw undone(run.id, made.runId);
  if (made.kind === 'full') throw concurrencyFull(run.workflow, made.runId);
  if (made.kind === 'key-reused') throw keyReused();
  const isNew = made.kind === 'created';
  if (isNew) backlog.add();
  if (isNew) startOffers.offer(made.runId, event.by);
  if (isNew) bell.ring([{ runId: made.runId, priority: run.priority }]).catch(onBellFailed);
  return { runId: made.runId, isNew };
}

async function turnsFor({ blobs }: Store, plan: Plan, run: Run, { inputs }: RerunOrder): Promise<RequestedTurn> {
  if (plan.concurrency === undefined) return {};
  return turnToRequest(plan, run, { inputs: (inputs ?? (await inputsOf(blobs, run))) as JsonObject });
}

/** Throws `ProblemError`. */
function check(run: Run, { kind, journal, from, version }: RerunOrder): void {
  if (run.session !== undefined) {
    const message =
      'A session cannot be run again: its steps are calls of its client. `baton learn` makes a workflow of them.';
    throw new ProblemError('conflict', message);
  }
  if (run.trigger.kind === 'undo') {
    const message = `The run undoes ${run.rerunOf}. Another undo of that one makes the calls that are left.`;
    throw new ProblemError('conflict', message);
  }
  if (!isEnded(run)) throw new ProblemError('not-finished', `The run is ${run.status}. Wait for it, or cancel it.`);
  if (kind === 'retry' && run.status === 'succeeded') checkFailedItems(journal, version);
  if (from === undefined) return;
  const paths = startedPaths(journal);
  if (paths.includes(from)) return;
  const hint = didYouMean(from, paths);
  const message = `No step ${JSON.stringify(from.slice(0, 80))} has begun in this run.`;
  throw new ProblemError('validation-failed', message, {
    errors: [{ pointer: `/from`, code: 'unknown-step', message, ...(hint && { hint }) }],
  });
}

/** Of a run that succeeded, a retry repeats the items that failed. Throws `ProblemError`. */
function checkFailedItems(journal: RerunOrder['journal'], version: RerunOrder['version']): void {
  const refuse = (why: string): never => {
    throw new ProblemError('conflict', why);
  };
  if (!letsItemsFail(Trace.of(journal)))
    refuse('The run has succeeded, and no item of it failed: there is nothing to retry. Use rerun to do it again.');
  if (version !== undefined)
    refuse('The run has succeeded: its failed items are retried with its own version. Use rerun for another.');
}

/** What it would keep is no longer there. Rejects with `ProblemError`. */
async function checkNotUndone(store: Store, run: Run, { kind, from, version }: RerunOrder): Promise<void> {
  if (kind === 'rerun' && from === undefined && version === undefined) return;
  for (let of = await getRun(store, run.id); of !== undefined;) {
    const [undo] = await undosOf(store, of.id);
    if (undo !== undefined) throw undone(of.id, undo);
    of = of.rerunOf === undefined ? undefined : await getRun(store, of.rerunOf);
  }
}

const undone = (of: string, undo: string): ProblemError =>
  new ProblemError(
    'conflict',
    `The run ${undo} was started to undo what ${of} wrote, which the new run would keep. Run it again from its beginning.`,
  );

/**
 * What a retry that is under way will do is not known; both would do it. A retry that was made since `retriedAs` was read
 * is left to the store, which answers with it. Rejects with `ProblemError`.
 */
async function checkNoneUnderWay(
  { store }: RerunOptions,
  run: Run,
  { kind }: RerunOrder,
  { retriedAs, underWay: [going] }: Pick<Rerun, 'retriedAs'> & Pick<CallsInTree, 'underWay'>,
): Promise<void> {
  if (kind !== 'retry' || going === undefined || (await newestRetry(store, run)) !== retriedAs) return;
  const message = `The run ${going} goes on from it, or from the same run, and has not ended. Wait for it, or cancel it.`;
  throw new ProblemError('not-finished', message);
}

/** The first event of the new run: the request of the old run, with the changes of the order. */
function firstEventOf(
  run: Run,
  { version, definition }: RerunTarget,
  { kind, journal, from, inputs, principal }: RerunOrder,
  at: number,
): { event: EventOf<'run.requested'>; blobs: readonly NewBlob[] } {
  const {
    parent: _parent,
    notBefore: _notBefore,
    via: _via,
    person: _person,
    ...before
  } = journal[0] as EventOf<'run.requested'>;
  const detail = { run: run.id, ...defined({ from }) };
  const of = { definition, ...defined({ version, via: principal.client?.name, person: personBehind(principal) }) };
  const event = { ...before, ...of, at, by: principal.by, trigger: { kind, detail }, rerunOf: run.id } as const;
  if (inputs === undefined) return { event, blobs: [] };
  const { workflow } = run;
  const given = inputs as JsonObject;
  const fresh = requested({ workflow, definition, inputs: given, trigger: event.trigger, by: event.by }, at);
  return { event: { ...event, inputs: fresh.event.inputs }, blobs: fresh.blobs };
}
