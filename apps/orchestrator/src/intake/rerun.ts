/** Starts a finished run again: a new run, linked to the old one, that begins with its successful outcomes (I6). */
import { ProblemError } from '@baton/api';
import type { EventOf, CarriedOutcomes, Run, RunEvent, Turn } from '@baton/engine';
import { carryOutcomes, carryToVersion, isEnded, planFor, replay, resolve, startedPaths } from '@baton/engine';
import type { Json, JsonObject, Plan } from '@baton/language';
import { didYouMean } from '@baton/language';
import { canonicalJson } from '@baton/protocol';
import type { NewBlob, Plans } from '@baton/runner';
import { BlobCache, requested, withLoadedValues } from '@baton/runner';
import type { Idempotency, Store } from '@baton/store';

import { checkApproval, checkEffects } from '../keys/effects.ts';
import type { Principal } from '../keys/scopes.ts';
import { checkSecretUse } from '../keys/secretUse.ts';
import type { QueueBacklog } from './backlog.ts';
import { concurrencyFull, turnAtOnce } from './rejectWhenFull.ts';
import type { RunAppender } from './runAppender.ts';
import type { RunQuota } from './runQuota.ts';
import { fitInputs } from './starter.ts';
import type { StartOffers } from './startOffers.ts';

export interface RerunOptions extends RunAppender {
  readonly store: Store;
  readonly plans: Plans;
  readonly backlog: QueueBacklog;
  readonly startOffers: StartOffers;
  readonly quota: RunQuota;
}

export interface RerunOrder {
  readonly kind: 'retry' | 'rerun';
  readonly journal: readonly RunEvent[];
  readonly runId: string;
  /** For a rerun: the first step to execute again; absent: all steps. */
  readonly from?: string | undefined;
  /** Replaces the inputs of the run. */
  readonly inputs?: Json | undefined;
  /** The version of the workflow; absent: that of the run. */
  readonly version?: number | 'latest' | undefined;
  readonly principal: Principal;
  /** Report what would happen, and start nothing. */
  readonly isPreview: boolean;
  readonly idempotency: Idempotency | undefined;
}

export interface Rerun {
  /** Undefined for a preview. */
  readonly runId: string | undefined;
  readonly isNew: boolean;
  /** The version of the new run; undefined for an inline workflow. */
  readonly version: number | undefined;
  /** The newest version, if it is newer. */
  readonly newerVersion: number | undefined;
  readonly kept: CarriedOutcomes;
}

/** The definition of the new run. */
interface RerunTarget {
  readonly version: number | undefined;
  readonly definition: string;
  readonly plan: Plan;
}

/** Rejects with `ProblemError` and `UnavailableError`. */
export async function rerun(options: RerunOptions, order: RerunOrder): Promise<Rerun> {
  const { clock } = options;
  const { principal, isPreview } = order;
  const run = replay(order.runId, order.journal);
  check(run, order);
  const target = await targetOf(options, run, order);
  const { version, plan } = target;
  checkEffects(principal, plan);
  if (version === undefined) {
    checkApproval(principal, plan);
    checkSecretUse(principal, plan);
  }
  const newerVersion = await newerThan(options, run, version);
  const at = clock.now();
  const inputs = await inputsFor(options.store, run, plan, order);
  const kept = await carriedOutcomesFor(options, run, target, order, inputs, at);
  const first = firstEventOf(run, target, { ...order, inputs }, at);
  const about = { version, newerVersion, kept };
  const allowed = options.quota.limitsOf(principal.limits);
  if (isPreview) return { ...about, runId: undefined, isNew: false };
  options.backlog.check();
  const started = await options.quota.within(principal.by, principal.limits?.runs, () =>
    request(options, order, run, plan, { ...first, event: { ...first.event, limits: allowed }, kept }),
  );
  return { ...about, ...started };
}

async function targetOf({ store, plans }: RerunOptions, run: Run, { version }: RerunOrder): Promise<RerunTarget> {
  if (version === undefined) {
    return { version: run.version, definition: run.definition, plan: planFor(await plans(run.definition), run) };
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
  return { ...found, plan: await plans(found.definition) };
}

async function newerThan({ store }: RerunOptions, run: Run, version: number | undefined): Promise<number | undefined> {
  if (version === undefined) return undefined;
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
  return fitInputs(plan, await oldInputs(blobs, run));
}

async function oldInputs(blobs: Store['blobs'], { inputs }: Run): Promise<Json> {
  const text = 'blob' in inputs ? await blobs.get(inputs.blob.sha256) : undefined;
  return text === undefined ? resolve(inputs, () => null) : (JSON.parse(text) as Json);
}

/**
 * Whether questions are asked again. A person agreed to something with the inputs of the old run; and a key whose writes
 * a person approves could otherwise repeat an approved write as often as it likes.
 */
async function asksAgain({ blobs }: Store, run: Run, { kind, inputs, principal }: RerunOrder): Promise<boolean> {
  if (kind === 'rerun' && principal.approve !== undefined) return true;
  return inputs !== undefined && canonicalJson(inputs) !== canonicalJson(await oldInputs(blobs, run));
}

async function request(
  { store, backlog, startOffers, bell, onBellFailed }: RerunOptions,
  order: RerunOrder,
  run: Run,
  plan: Plan,
  { event, blobs, kept }: ReturnType<typeof firstEventOf> & Pick<Rerun, 'kept'>,
): Promise<Pick<Rerun, 'runId' | 'isNew'>> {
  const { idempotency } = order;
  const turn = await turnFor(store, plan, run, order);
  const made = await store.request({ event, blobs, more: kept.events, turn, ...(idempotency && { idempotency }) });
  if (made.kind === 'full') throw concurrencyFull(run.workflow, made.runId);
  if (made.kind === 'key-reused') {
    throw new ProblemError('idempotency-key-reused', 'This idempotency key was used before, for something else.');
  }
  const isNew = made.kind === 'created';
  if (isNew) backlog.add();
  if (isNew) startOffers.offer(made.runId, event.by);
  if (isNew) bell.ring([{ runId: made.runId, priority: run.priority }]).catch(onBellFailed);
  return { runId: made.runId, isNew };
}

/** The questions before an item are in the journal of another run. */
const askedElsewhere = ({ parent }: Run): ProblemError =>
  new ProblemError(
    'conflict',
    `The run is an item of a \`forEach\`: its inputs, and the answers to questions before it, are those of another run. Rerun that one${parent === undefined ? '' : `, ${parent.runId}`}.`,
  );

async function turnFor({ blobs }: Store, plan: Plan, run: Run, { inputs }: RerunOrder): Promise<Turn | undefined> {
  if (plan.concurrency === undefined) return undefined;
  return turnAtOnce(plan, run, { inputs: (inputs ?? (await oldInputs(blobs, run))) as JsonObject, isDelayed: false });
}

/** Throws `ProblemError`. */
function check(run: Run, { kind, journal, from }: RerunOrder): void {
  if (run.session !== undefined) {
    const message =
      'A session cannot be run again: its steps are calls of its client. `baton learn` makes a workflow of them.';
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

async function carriedOutcomesFor(
  { store }: RerunOptions,
  run: Run,
  { plan }: RerunTarget,
  order: RerunOrder,
  given: JsonObject | undefined,
  at: number,
): Promise<CarriedOutcomes> {
  const { kind, journal, from, version } = order;
  const isAskedAgain = await asksAgain(store, run, { ...order, inputs: order.inputs && given });
  if (isAskedAgain && run.part !== undefined) throw askedElsewhere(run);
  const carry = { at, from, asksAgain: isAskedAgain };
  if (version !== undefined) {
    const sources = { blobs: store.blobs, cache: new BlobCache(0), journal: store.journal };
    const change = { ...carry, runId: run.id, inputs: { json: given ?? {} } };
    const kept = await withLoadedValues(sources, run.id, (blobs) =>
      carryToVersion(plan, journal, { ...change, blobs }),
    );
    checkPlaced(from, kept);
    return kept;
  }
  if (kind === 'retry' || from !== undefined) return carryOutcomes(plan, journal, carry);
  const all = carryOutcomes({ ...plan, steps: { ...plan.steps, steps: [] } }, journal, carry);
  return { ...all, events: [] };
}

/** Throws `ProblemError` if the new version does not have the first step to execute. */
function checkPlaced(from: string | undefined, { unmatched }: CarriedOutcomes): void {
  if (from === undefined || !unmatched.some((path) => from === path || from.startsWith(`${path}/`))) return;
  const message = `That version has no step ${JSON.stringify(from.slice(0, 80))}.`;
  throw new ProblemError('validation-failed', message, {
    errors: [{ pointer: `/from`, code: 'unknown-step', message }],
  });
}

/** The first event of the new run: the request of the old run, with the changes of the order. */
function firstEventOf(
  run: Run,
  { version, definition }: RerunTarget,
  { kind, journal, from, inputs, principal }: RerunOrder,
  at: number,
): { event: EventOf<'run.requested'>; blobs: readonly NewBlob[] } {
  const { parent: _parent, notBefore: _notBefore, ...before } = journal[0] as EventOf<'run.requested'>;
  const detail = { run: run.id, ...(from === undefined ? {} : { from }) };
  const of = { definition, ...(version === undefined ? {} : { version }) };
  const event = { ...before, ...of, at, by: principal.by, trigger: { kind, detail }, rerunOf: run.id } as const;
  if (inputs === undefined) return { event, blobs: [] };
  const { workflow } = run;
  const given = inputs as JsonObject;
  const fresh = requested({ workflow, definition, inputs: given, trigger: event.trigger, by: event.by }, at);
  return { event: { ...event, inputs: fresh.event.inputs }, blobs: fresh.blobs };
}
