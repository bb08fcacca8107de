/**
 * Starts runs. Simultaneous requests share statements. The bell rings afterwards, and no request waits for that (I1).
 */

import { ProblemError } from '@baton/api';
import { type RunEvent, type RunPerson, type Trigger, replay } from '@baton/engine';
import { validateInputs } from '@baton/expressions';
import type { Plan } from '@baton/language';
import { type Json, type JsonObject, unawaited, within } from '@baton/primitives';
import { digestOf } from '@baton/protocol';
import {
  type Bell,
  type BoundSecrets,
  type Clock,
  type Places,
  type Plans,
  type StartOffers,
  requested,
  EarlyBell,
} from '@baton/runner';
import {
  type BeginningRequest,
  type Idempotency,
  type RequestedCallback,
  type RequestOutcome,
  type RunRequest,
  type Store,
  type FoundVersion,
  newRunId,
  OutdatedError,
} from '@baton/store';

import type { BudgetGuard } from '../budgets/budgetGuard.ts';
import { checkCallback } from '../callbacks/callbackSecret.ts';
import { ToolsChanged } from '../deploy/driftGuard.ts';
import type { InlineWorkflow } from '../deploy/inline.ts';
import { checkApproval, checkEffects } from '../keys/effects.ts';
import { maySee } from '../keys/keyAccess.ts';
import { onAnything, onWorkflow } from '../keys/narrowing.ts';
import { personBehind, personIn } from '../keys/personBehind.ts';
import type { Principal } from '../keys/scopes.ts';
import { checkSecretUse } from '../keys/secretUse.ts';
import type { QueueBacklog } from './backlog.ts';
import { earlierRun, keyReused } from './earlierRun.ts';
import { concurrencyFull, turnToRequest } from './rejectWhenFull.ts';
import { type RunQuota, RunRoom } from './runQuota.ts';
import { type NamedWorkflow, unknownWorkflow } from './unknownWorkflow.ts';

/** The definition to run. */
export type RunOrder = NamedWorkflow | { readonly inline: () => Promise<InlineWorkflow> };

export interface StartOptions {
  readonly inputs?: Json | undefined;
  readonly priority?: number | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly delayMs?: number | undefined;
  /** Where to send the end of the run. */
  readonly callback?: RequestedCallback | undefined;
  /** The key, or the trigger, that asks for the run: it can start only what it may see. */
  readonly principal: Principal;
  /** Absent: a client started it over the API. */
  readonly trigger?: Trigger | undefined;
  /** The number of ancestors of the run. */
  readonly depth?: number | undefined;
  /** Called before a new run is stored, with its first event; again where it is stored under another id. */
  readonly onRequest?: ((runId: string, first: RunEvent) => void) | undefined;
}

export interface StartedRun {
  readonly runId: string;
  /** False if the same request was made before. */
  readonly isNew: boolean;
}

export interface RunStarterOptions {
  readonly store: Store;
  readonly secrets: BoundSecrets;
  readonly plans: Plans;
  readonly bell: Bell;
  readonly clock: Clock;
  /** Called for bells that the queue refused; the reconciler rings again. */
  readonly onBellFailed: (error: unknown) => void;
  /** Checks that the tools match the definition; rejects with `ProblemError` if they do not. */
  readonly checkTools?: (definition: string) => Promise<void> | undefined;
  /** Absent: no limit. */
  readonly backlog?: QueueBacklog | undefined;
  /** Where a run may begin at once in this process. Absent: nowhere. */
  readonly home?: Places | undefined;
  /** Absent: workers learn of a run from its bell only. */
  readonly startOffers?: StartOffers | undefined;
  /** Absent: no limit. */
  readonly quota?: RunQuota | undefined;
  /** Absent: there are no budgets over time. */
  readonly budgets?: Pick<BudgetGuard, 'checkStart'> | undefined;
  /** Called for each new run, with the times when accepting it began and ended, epoch milliseconds. */
  readonly onStarted?: ((run: NewRun) => void) | undefined;
}

export interface NewRun {
  readonly runId: string;
  readonly workflow: string;
  readonly trigger: Trigger['kind'];
  readonly startMs: number;
  readonly endMs: number;
}

/** Requests in progress; beyond this number requests are refused, so that nothing piles up. */
const underWayMax = 4_096;
/** The remembered version is outdated, and a proof replaces the one that is found instead. */
const attemptsMax = 3;

interface FoundWorkflow {
  readonly workflow: string;
  readonly version?: number;
  readonly definition: string;
  /** Absent: no workflow is paused. */
  readonly pausedBy?: string;
  /** Absent: it came with its run. */
  readonly deployedBy?: string;
  readonly plan: Plan;
}

type FoundRun = Omit<FoundWorkflow, 'pausedBy'>;

/** A run that is not stored yet. */
export type MadeRequest = RunRequest & { readonly runId: string };

/** What a trigger that stores its runs itself says of each. */
export type TriggeredStart = Pick<StartOptions, 'inputs'> &
  Required<Pick<StartOptions, 'trigger'>> & {
    /** Another trigger of the workflow. Absent: the one that it was prepared for. */
    readonly principal?: Principal;
  };

interface WaitingStart {
  readonly runId: string;
  readonly by: string;
  readonly delayMs: number;
  readonly priority: number | undefined;
  readonly isHeard: () => boolean;
}

/** A run whose first decision takes longer, because a server is slow to list its tools, goes through the queue. */
const beginMs = 50;

export class RunStarter {
  readonly #options: RunStarterOptions;
  readonly #earlyBell: EarlyBell;
  /** Idempotency keys of requests that are not recorded yet. */
  readonly #inFlight = new Set<string>();
  #underWay = 0;

  constructor(options: RunStarterOptions) {
    this.#options = options;
    this.#earlyBell = new EarlyBell(options);
  }

  /**
   * Resolves when the run is durable. Of simultaneous requests with one key, this process serves one; on several
   * orchestrators all of them get the same run. Rejects with `ProblemError` and `UnavailableError`.
   */
  async start(wanted: RunOrder, given: StartOptions, idempotency?: Idempotency): Promise<StartedRun> {
    const options = narrowed(wanted, given);
    if (this.#underWay >= underWayMax) {
      throw new ProblemError('overloaded', 'Too many runs are being started just now.', {
        headers: { 'retry-after': '1' },
      });
    }
    const flight = idempotency === undefined ? undefined : `${idempotency.scope} ${idempotency.key}`;
    if (flight !== undefined && this.#inFlight.has(flight)) throw inProgress();
    this.#underWay += 1;
    if (flight !== undefined) this.#inFlight.add(flight);
    try {
      return await this.#start(wanted, options, idempotency);
    } finally {
      this.#underWay -= 1;
      if (flight !== undefined) this.#inFlight.delete(flight);
    }
  }

  async #start(wanted: RunOrder, options: StartOptions, idempotency: Idempotency | undefined): Promise<StartedRun> {
    const before = await earlierRun(this.#options.store, idempotency);
    if (before !== undefined) return before;
    this.#options.backlog?.check();
    const start = () => this.#startNew(wanted, options, idempotency);
    const { quota } = this.#options;
    return quota === undefined ? start() : quota.within(options.principal.by, options.principal.limits?.runs, start);
  }

  async #startNew(wanted: RunOrder, options: StartOptions, idempotency: Idempotency | undefined): Promise<StartedRun> {
    const isOpen = !('inline' in wanted) && wanted.version === undefined;
    let known =
      isOpen && options.trigger?.kind !== 'mcp' ? this.#options.store.rememberedVersion(wanted.workflow) : undefined;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(wanted, options, idempotency, known);
      } catch (error) {
        if (!isOpen || attempt === attemptsMax || !(await this.#isOutdated(error, wanted, known))) throw error;
        known = undefined;
      }
    }
  }

  /** `known`: the newest version a while ago. Rejects with `OutdatedError` if there is a newer one. */
  async #attempt(
    wanted: RunOrder,
    options: StartOptions,
    idempotency: Idempotency | undefined,
    known?: FoundVersion,
  ): Promise<StartedRun> {
    const { plan, pausedBy, ...found } = await this.#resolve(wanted, options.principal, known);
    if (pausedBy !== undefined && isTriggered(options)) throw paused(found.workflow, pausedBy);
    const { store, secrets, clock, checkTools, budgets } = this.#options;
    const affording = budgets?.checkStart(found.workflow);
    // Where there are no budgets, nothing is awaited.
    if (affording !== undefined) await affording;
    if (options.callback !== undefined) {
      const workflow = { id: found.workflow, isDeployed: found.version !== undefined };
      await checkCallback(secrets, { ...options.callback, workflow }, options.principal);
    }
    const checking = checkTools?.(found.definition);
    // A cached answer needs no await.
    if (checking !== undefined) await checking;
    const now = clock.now();
    const made = this.#requestOf({ ...found, plan }, options, now);
    const { runId, event } = made;
    const { notBefore } = event;
    options.onRequest?.(runId, event);
    const request = { ...made, isNewest: known !== undefined, ...(idempotency && { idempotency }) };
    const { priority, delayMs = 0 } = options;
    const { by, trigger } = event;
    // What a run writes of state cannot be stored with its request.
    const mayBegin = notBefore === undefined && plan.concurrency === undefined && plan.state === undefined;
    const begun = mayBegin ? await this.#beginHere(request, plan) : undefined;
    const mayRingEarly =
      begun === undefined && notBefore === undefined && request.turn === undefined && idempotency === undefined;
    const isHeard = mayRingEarly ? this.#earlyBell.ring(runId, priority) : () => false;
    const outcome = begun ?? (await store.request(request));
    if (outcome.kind === 'key-reused') throw keyReused();
    if (outcome.kind === 'full') throw concurrencyFull(found.workflow, outcome.runId);
    if (outcome.kind === 'created') {
      const { workflow } = found;
      this.#options.onStarted?.({ runId, workflow, trigger: trigger.kind, startMs: now, endMs: clock.now() });
      if (begun === undefined) this.#wake({ runId, by, delayMs, priority, isHeard });
    }
    return { runId: outcome.runId, isNew: outcome.kind === 'created' };
  }

  /** Throws `ProblemError` if the inputs do not fit. */
  #requestOf({ plan, deployedBy, ...found }: FoundRun, options: StartOptions, now: number): MadeRequest {
    const { priority, tags, delayMs = 0, trigger = { kind: 'api' }, depth } = options;
    const { by, limits, client, isTrigger } = options.principal;
    const person = isTrigger === true ? personOfTrigger(found, deployedBy) : personBehind(options.principal);
    const inputs = fitInputs(plan, options.inputs);
    const notBefore = delayMs > 0 ? now + delayMs : undefined;
    const allowed = this.#options.quota?.limitsOf(limits);
    const more = { priority, tags, notBefore, depth, limits: allowed };
    const order = { ...found, inputs, trigger, by, via: client?.name, person, ...more };
    const turns = turnToRequest(plan, found, { inputs, isDelayed: notBefore !== undefined });
    return { runId: newRunId(now), ...requested(order, now), callback: options.callback, ...turns };
  }

  /**
   * Looks once at what runs of a trigger need: the returned function makes the request of each, to be stored by a
   * transaction of the trigger, and throws `ProblemError` if its inputs do not fit. `patienceMs`: for the check of the
   * tools, where others wait meanwhile. `roomOf` says how many may be made. Rejects with `ProblemError` and
   * `UnavailableError`.
   */
  async prepare(
    wanted: NamedWorkflow,
    principal: Principal,
    patienceMs = Infinity,
  ): Promise<(options: TriggeredStart) => MadeRequest> {
    this.#options.backlog?.check();
    const { pausedBy, ...found } = await this.#resolve(wanted, principal, undefined);
    if (pausedBy !== undefined) throw paused(found.workflow, pausedBy);
    await this.#options.budgets?.checkStart(found.workflow);
    const checking = this.#options.checkTools?.(found.definition);
    if (checking !== undefined) await within(checking, patienceMs, { onLate: () => throwUnchecked(found.workflow) });
    return (options) => this.#requestOf(found, { principal, ...options }, this.#options.clock.now());
  }

  /** As `RunQuota.roomOf`. */
  async roomOf(by: string, own?: number): Promise<RunRoom> {
    return (await this.#options.quota?.roomOf(by, own)) ?? new RunRoom(by, Infinity, Infinity);
  }

  /** Call it for each run of `prepare` that is stored. */
  prepared({ runId, event: { workflow, trigger, by, at } }: MadeRequest): void {
    const { onStarted, clock, quota } = this.#options;
    quota?.add(by);
    onStarted?.({ runId, workflow, trigger: trigger.kind, startMs: at, endMs: clock.now() });
    this.#wake({ runId, by, delayMs: 0, priority: undefined, isHeard: () => false });
  }

  /** Undefined where the run does not begin here: nothing is stored then. Else as `Store.request`. */
  async #beginHere(request: BeginningRequest, plan: Plan): Promise<RequestOutcome | undefined> {
    const { store, clock, home } = this.#options;
    const { runId, event, blobs = [] } = request;
    // Large inputs are stored with the run, and the first decision may need them.
    const place = blobs.length === 0 ? home?.take(event.by) : undefined;
    if (place === undefined) return undefined;
    const log = store.unstored(request);
    const driven = place({ run: replay(runId, [event]), log, plan });
    const cancelTimer = clock.after(beginMs, () => log.giveUp());
    unawaited(driven.finally(() => log.giveUp()));
    return log.outcome.finally(cancelTimer);
  }

  #wake({ runId, by, delayMs, priority, isHeard }: WaitingStart): void {
    if (delayMs === 0) this.#options.backlog?.add();
    if (delayMs === 0) this.#options.startOffers?.offer(runId, by);
    if (!isHeard()) this.#ring(runId, delayMs, priority);
  }

  async #resolve(wanted: RunOrder, principal: Principal, known: FoundVersion | undefined): Promise<FoundWorkflow> {
    const found = 'inline' in wanted ? await inlineFor(wanted, principal) : await this.#find(wanted, principal, known);
    checkEffects(principal, found.plan);
    if ('inline' in wanted) checkApproval(principal, found.plan);
    if ('inline' in wanted) checkSecretUse(principal, found.plan);
    return found;
  }

  async #find(wanted: NamedWorkflow, principal: Principal, known: FoundVersion | undefined): Promise<FoundWorkflow> {
    const { store, plans } = this.#options;
    const found = maySee(principal, wanted.workflow) ? (known ?? (await store.findVersion(wanted))) : undefined;
    if (found === undefined) throw await unknownWorkflow(store, wanted, principal);
    return { workflow: wanted.workflow, ...found, plan: await plans(found.definition) };
  }

  /** A problem of an outdated version is none of the newest: that one is tried, too. */
  async #isOutdated(error: unknown, wanted: NamedWorkflow, known: FoundVersion | undefined): Promise<boolean> {
    if (error instanceof OutdatedError) return true;
    // A proof replaces also a version that was found a moment ago.
    const tried = error instanceof ToolsChanged ? error.definition : known?.definition;
    if (!(error instanceof ProblemError) || tried === undefined) return false;
    const newest = await this.#options.store.findVersion(wanted);
    return newest?.definition !== tried;
  }

  #ring(runId: string, delayMs: number, priority = 0): void {
    this.#options.bell.ring([{ runId, delayMs, priority }]).catch(this.#options.onBellFailed);
  }
}

/** The rights of a person for this workflow; an inline workflow is none that a grant could name. */
function narrowed(wanted: RunOrder, options: StartOptions): StartOptions {
  const { principal } = options;
  if (principal.grants === undefined) return options;
  return {
    ...options,
    principal: 'inline' in wanted ? onAnything(principal) : onWorkflow(principal, wanted.workflow),
  };
}

/**
 * A key that is limited to workflows gets no findings of an inline text: they would reveal other deployed workflows.
 */
function inlineFor(
  wanted: Extract<RunOrder, { readonly inline: unknown }>,
  principal: Principal,
): Promise<InlineWorkflow> {
  if (principal.workflows === undefined) return wanted.inline();
  throw new ProblemError('forbidden', 'This key may start deployed workflows only, and only some of them.');
}

/** Who deployed the version, and agreed by that to what it calls. */
function personOfTrigger(
  { workflow, version }: Pick<FoundRun, 'workflow' | 'version'>,
  deployedBy: string | undefined,
): RunPerson | undefined {
  const person = personIn(deployedBy);
  return person && version !== undefined ? { ...person, agreed: { workflow, version } } : person;
}

/** Throws `ProblemError`. */
export function fitInputs(plan: Plan, given: Json | undefined): JsonObject {
  const { inputs, errors } = validateInputs(plan, given);
  if (inputs !== undefined) return inputs;
  const [first] = errors;
  throw new ProblemError('validation-failed', first?.message ?? 'The inputs do not fit the workflow.', {
    errors: errors.map(({ pointer, ...rest }) => ({ ...rest, pointer: `/inputs${pointer}`, code: 'invalid-inputs' })),
  });
}

/** Only triggers count, not a key, and not a manual firing of a schedule. */
const isTriggered = ({ trigger: { kind } = { kind: 'api' }, principal }: StartOptions): boolean =>
  kind !== 'api' && (principal.isTrigger === true || kind === 'mcp');

const paused = (workflow: string, by: string): ProblemError =>
  new ProblemError(
    'workflow-paused',
    `No trigger starts "${workflow}": it was paused by ${by}. \`baton workflows resume ${workflow}\` resumes it.`,
    { logged: { workflow } },
  );

function throwUnchecked(workflow: string): never {
  throw new ProblemError('conflict', `The check of the tools of "${workflow}" took too long.`);
}

const inProgress = (): ProblemError =>
  new ProblemError('in-progress', 'A request with this idempotency key is being served just now. Ask again.', {
    headers: { 'retry-after': '1' },
  });

/** The idempotency key, made unique for the client and the target. Throws `ProblemError` for an invalid key. */
export function idempotencyOf(key: unknown, by: string, request: object): Idempotency | undefined {
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    const message = 'The Idempotency-Key must be 1 to 255 visible ASCII characters.';
    throw new ProblemError('validation-failed', message, { errors: [{ code: 'wrong-value', message }] });
  }
  const digest = digestOf(request);
  return { scope: `${by} runs`, key, digest };
}
