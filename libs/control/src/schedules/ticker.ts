/**
 * Fires schedules. Every orchestrator runs a ticker. It locks the schedule's row while it decides, and stores one
 * outcome for each schedule and time. No ticker leads, and each may die at any point.
 */
import { ProblemError } from '@baton/api';
import { type TaskTrouble, BackgroundTask, UnavailableError } from '@baton/runner';
import {
  type DecidedFirings,
  type Firing,
  type FiringCause,
  type FiringOutcome,
  type Schedule,
  type UnplacedSchedule,
  decideDue,
  decideQueued,
  findQueued,
  findUnplaced,
  lastRefusals,
  nextDue,
  auditSchedule,
  placeSchedules,
} from '@baton/store';

import { placedTriggers, schedulePartsOf } from '../deploy/placedTriggers.ts';
import { runEach } from '../runEach.ts';
import { dueInstants } from './dueInstants.ts';
import { type FiringOptions, fire } from './firing.ts';

/** What is counted of schedules. */
interface ScheduleCounts {
  readonly fired: (cause: FiringCause, outcome: FiringOutcome['outcome'], lateMs: number) => void;
  readonly passedOver: () => void;
}

export interface TickerOptions extends FiringOptions {
  /** A sentence that says why this process must not decide now. Absent: it always may. */
  readonly refusal?: () => string | undefined;
  /** Called when a time starts no run because of an error. */
  readonly onRefused: (schedule: string, instant: number, reason: string) => void;
  readonly onTrouble: TaskTrouble;
  readonly httpMetrics: ScheduleCounts;
}

/** The longest time until a new deployment is noticed. */
const everyMs = 5_000;
/** The interval while times wait for the end of a run. */
const queuedEveryMs = 2_000;
const leastMs = 20;
const batch = 100;
/** How long one schedule is decided about before it is the others' turn: its row is locked meanwhile. */
const decidingMs = 2_000;
/** Times of one schedule in one pass. */
const queuedMax = 1_000;
/** Characters of a reason that are stored. */
const reasonMax = 500;

export class Ticker {
  readonly #options: TickerOptions;
  readonly #rounds: BackgroundTask;
  /** The last schedule whose waiting instants were looked at; undefined: the look begins anew. */
  #queuedAfter: string | undefined;

  constructor(options: TickerOptions) {
    this.#options = options;
    const { clock, onTrouble } = options;
    this.#rounds = new BackgroundTask({ name: 'schedules', clock, run: () => this.tick(), onTrouble });
  }

  /** Runs now, and from now on whenever a time may be due. */
  start(): void {
    this.#rounds.start();
  }

  /** Resolves when the pass in progress has ended. */
  async close(): Promise<void> {
    await this.#rounds.close();
  }

  /**
   * Fires everything that is due; a schedule about which nothing can be decided stays due. Resolves to the milliseconds
   * until the next time. Rejects with `UnavailableError`.
   */
  async tick(): Promise<number> {
    const { store, clock, refusal } = this.#options;
    const why = refusal?.();
    if (why !== undefined) throw new UnavailableError(why);
    await this.#checkHistory();
    let failed: readonly string[] = [];
    let queued = 0;
    await runEach([
      () => this.storeNewSchedules(),
      async () => {
        failed = await this.#fireDue();
      },
      async () => {
        queued = await this.#startQueued();
      },
    ]);
    const next = (await nextDue(store, failed)) ?? Infinity;
    return Math.max(leastMs, Math.min(next - clock.now(), queued > 0 ? queuedEveryMs : everyMs));
  }

  /** A database that went back in time has instants as due whose runs were started before. */
  async #checkHistory(): Promise<void> {
    const { history } = this.#options.store;
    await history.look();
    const fence = history.warning();
    if (fence !== undefined) throw new UnavailableError(fence);
  }

  /** Stores the schedules of versions that an older Baton deployed. Rejects with `UnavailableError`. */
  async storeNewSchedules(): Promise<void> {
    const { store } = this.#options;
    const place = async (one: UnplacedSchedule): Promise<void> =>
      placeSchedules(store, one, await this.#triggersOf(one));
    const pages: UnplacedSchedule[][] = [];
    for (let after: string | undefined = ''; after !== undefined;) {
      const page: readonly UnplacedSchedule[] = await findUnplaced(store, { limit: batch, after });
      pages.push([...page]);
      after = page.length === batch ? page.at(-1)?.workflow : undefined;
    }
    for (const one of pages.flat()) await this.#rounds.tryRow(one.workflow, () => place(one));
  }

  /** Resolves to the ids of those that failed. */
  async #fireDue(): Promise<readonly string[]> {
    const { store, clock } = this.#options;
    const failed: string[] = [];
    const cut: string[] = [];
    const decide = async (schedule: Schedule, queued: number): Promise<DecidedFirings | undefined> => {
      const decided = await this.#rounds.tryRow(schedule.id, () => this.#decide(schedule, queued));
      if (decided === undefined) failed.push(schedule.id);
      if (decided?.isCut === true) cut.push(schedule.id);
      return decided;
    };
    const decideNext = async (): Promise<boolean> => {
      await this.#checkHistory();
      return decideDue(store, { nowMs: clock.now(), except: [...failed, ...cut] }, decide);
    };
    while (!this.#rounds.isClosed && (await decideNext()));
    return failed;
  }

  async #triggersOf({ definition }: UnplacedSchedule) {
    const { triggers, clock } = this.#options;
    const all = definition === undefined ? [] : await triggers(definition);
    return placedTriggers(schedulePartsOf(all), clock.now());
  }

  /** Where its times take long, the rest stays due. */
  async #decide(schedule: Schedule, queued: number): Promise<DecidedFirings & { readonly isCut: boolean }> {
    const { clock, httpMetrics } = this.#options;
    const { instants, nextAt, isMissed } = dueInstants(schedule, clock.now());
    if (isMissed) httpMetrics.passedOver();
    const firings: Firing[] = [];
    const begunAt = clock.monotonic();
    for (const { instant, cause } of instants) {
      if (clock.monotonic() - begunAt > decidingMs) return { firings, nextAt: instant, isCut: true };
      const outcome = await this.#outcome(schedule, instant, queued + firings.length);
      firings.push({ schedule: schedule.id, instant, cause, by: `schedule ${schedule.id}`, ...outcome });
      httpMetrics.fired(cause, outcome.outcome, clock.now() - instant);
      if (outcome.outcome === 'refused') await this.#tellRefused(schedule.id, instant, outcome.reason);
    }
    return { firings, nextAt, isCut: false };
  }

  /** Logs each refusal; records it in the audit only if the reason differs from the last one. */
  async #tellRefused(id: string, at: number, reason: string): Promise<void> {
    const { store, onRefused } = this.#options;
    onRefused(id, at, reason);
    const before = (await lastRefusals(store, [id])).get(id);
    if (before?.reason === reason.slice(0, reasonMax)) return;
    const detail = { instant: new Date(at).toISOString(), reason: reason.slice(0, reasonMax) };
    await auditSchedule(store, { action: 'schedule.refused', by: `schedule ${id}`, id, detail });
  }

  /** A queued time waits in line even if the line is empty, so that nothing overtakes earlier ones. */
  async #outcome(schedule: Schedule, instant: number, queued: number): Promise<FiringOutcome> {
    if (schedule.overlap !== 'queue') return this.#fire(schedule, { instant });
    const reason = `${queued} instants wait for the runs before them`;
    return queued < queuedMax ? { outcome: 'queued' } : { outcome: 'skipped', reason };
  }

  /** How many schedules have waiting times. */
  async #startQueued(): Promise<number> {
    const { store, clock, httpMetrics } = this.#options;
    const waiting = await findQueued(store, { limit: batch, after: this.#queuedAfter });
    // The next look begins behind those that wait for a long run.
    this.#queuedAfter = waiting.length === batch ? waiting.at(-1) : undefined;
    for (const id of waiting) {
      const startNext = (): Promise<boolean> =>
        decideQueued(store, id, async (schedule, { instant, cause }) => {
          const outcome = await this.#fire(schedule, { instant, isBackfill: cause === 'backfill' });
          if (outcome.outcome === 'queued') return undefined;
          httpMetrics.fired(cause, outcome.outcome, clock.now() - instant);
          if (outcome.outcome === 'refused') await this.#tellRefused(id, instant, outcome.reason);
          return outcome;
        });
      while ((await this.#rounds.tryRow(id, startNext)) === true) if (this.#rounds.isClosed) break;
    }
    return waiting.length;
  }

  /** A transient problem of Baton, such as overload, is not the schedule's fault: it tries again. */
  async #fire(...[schedule, which]: [Schedule, Parameters<typeof fire>[2]]) {
    return fire(this.#options, schedule, which).catch((cause: unknown) => {
      if (!(cause instanceof ProblemError)) throw cause;
      throw new UnavailableError(cause.message, { cause });
    });
  }
}
