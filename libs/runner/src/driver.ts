/**
 * Drives one run: decides, carries out the commands, appends what happened, and repeats, until the run ends or can only
 * wait.
 */
import type { Command, EventOf, AttemptReport, Run, RunEvent, SettledRun } from '@baton/engine';
import { evolve, judge, planFor, settle, stateAt } from '@baton/engine';
import type { Plan } from '@baton/language';
import { Latch } from '@baton/primitives';

import { refusal } from './admission.ts';
import { requestChild } from './child.ts';
import { hasSideEffects } from './hasSideEffects.ts';
import { InFlightCalls, isLeaving } from './inFlightCalls.ts';
import { type RunLog, UnavailableError } from './journal.ts';
import { reportLate } from './lateReports.ts';
import { openRun } from './openRun.ts';
import { performCall } from './performCall.ts';
import type { Ports } from './ports.ts';
import { ProgressLog } from './progressLog.ts';
import { isOver, RunWriter } from './runWriter.ts';
import type { Slices } from './slices.ts';
import { awaitTurn } from './turn.ts';
import { type ValueSources, withLoadedValues } from './withLoadedValues.ts';

/**
 * finished  the run is over, and its end is durable
 * waiting   nothing can happen before an instant, or before another process appends
 * lost      another worker drives the run
 * left      this worker was asked to release the run, and did
 */
export type DriveOutcome = 'finished' | 'waiting' | 'lost' | 'left';

/** `soon`: after the calls in flight have ended. `now`: without waiting for them. */
export type LeaveMode = 'soon' | 'now';

/** Maximum time that `decide` may block the event loop. `next`: once the run's turn has come, after the first slice. */
const sliceMs = { first: 10, next: 25 } as const;

/** A shorter wait is not worth releasing the run for. */
const shortWaitMs = 2_000;

const keyOf = ({ kind, path, attempt }: Pick<Command, 'kind' | 'path' | 'attempt'>): string =>
  `${kind} ${path}#${attempt}`;

type CallCommand = Extract<Command, { kind: 'call' }>;

export class Driver {
  readonly runId: string;
  readonly #ports: Ports;
  readonly #plan: Plan;
  readonly #writer: RunWriter;
  readonly #inFlight = new InFlightCalls();
  readonly #progress: ProgressLog;
  readonly #latch = new Latch();
  readonly #slices: Slices;
  #slice: keyof typeof sliceMs = 'first';
  readonly #asked = new Set<string>();
  #claim = 0;
  /** Reports of calls that have ended. */
  #reports: AttemptReport[] = [];
  /** The reports that the next append accounts for. */
  #judged: readonly AttemptReport[] = [];
  #facts: EventOf<'child.finished'>[] = [];
  /** Calls that this worker did not send because it might no longer own the run: attempt by path. */
  readonly #fencedAttempts = new Map<string, number>();
  #isStale = false;
  #isOver = false;
  #leaving: LeaveMode | undefined;

  constructor(ports: Ports, slices: Slices, plan: Plan, run: Run, log: RunLog) {
    this.runId = run.id;
    this.#slices = slices;
    this.#ports = ports;
    this.#plan = plan;
    this.#writer = new RunWriter(ports, run, log, () => this.#latch.raise());
    this.#progress = new ProgressLog(ports.clock, () => this.#latch.raise());
  }

  /** The run as this worker knows it, including appends that are not durable yet. */
  get run(): Run {
    return this.#writer.run;
  }

  get plan(): Plan {
    return this.#plan;
  }

  /** Another process appended up to `seq`. */
  nudge(seq: number): void {
    if (seq <= this.run.seq) return;
    this.#isStale = true;
    this.#latch.raise();
  }

  /** Asks the driver to release the run, so that another worker can take it. */
  leave(when: LeaveMode): void {
    this.#leaving = when;
    if (when === 'now') this.#inFlight.leave();
    this.#latch.raise();
  }

  async drive(): Promise<DriveOutcome> {
    let driven: DriveOutcome | undefined;
    try {
      driven = await this.#drive();
      return driven;
    } finally {
      this.#isOver = true;
      this.#progress.close();
      if (driven !== 'lost') this.#inFlight.leave();
    }
  }

  /**
   * After `lost`: waits for the calls with side effects that were sent, and reports how they ended to the run's new
   * owner. Begins nothing else.
   */
  async awaitSentCalls(): Promise<void> {
    await Promise.all([this.#inFlight.leaveUnsent(), ...this.#reports.map((report) => this.#reportLate(report))]);
    this.#writer.check();
  }

  /** A call ended after this driver had appended for the last time. */
  async #reportLate(report: AttemptReport): Promise<void> {
    if (this.#leaving === 'now') return;
    await reportLate(this.#ports, this.#plan, this.runId, report);
  }

  async #drive(): Promise<DriveOutcome> {
    let happened: readonly RunEvent[] | DriveOutcome = await this.#claimed();
    for (;;) {
      if (typeof happened === 'string') return happened;
      happened = this.#leaving === undefined ? await this.#settleAndAct(happened) : await this.#windUp(happened);
    }
  }

  async #settleAndAct(happened: readonly RunEvent[]): Promise<readonly RunEvent[] | DriveOutcome> {
    const settled = await this.#settle(happened);
    this.#slice = 'first';
    this.#append(settled);
    if (isOver(this.run)) return (await this.#writer.isDurable()) ? 'finished' : this.#recover();
    if (settled.isUnfinished) return this.#yieldToOthers();
    this.#carryOut(settled);
    return this.#mayRest(settled) ? this.#rest(settled.wakeAt) : this.#next(settled.wakeAt);
  }

  /** After `leave`: begins nothing new, records what ends, and then releases the run to any worker. */
  async #windUp(happened: readonly RunEvent[]): Promise<readonly RunEvent[] | DriveOutcome> {
    const isEmpty = this.#inFlight.size === 0 || this.#leaving === 'now';
    const events = isEmpty ? [...happened, waiting(this.#now(), this.#now())] : happened;
    this.#append(this.#writer.fold(events));
    if (!isEmpty) return this.#next(undefined);
    if (!(await this.#writer.isDurable())) return this.#recover();
    this.#ring(0);
    return 'left';
  }

  /** Claims the run, unless a claim would change nothing, as after an early or doubled bell. */
  async #claimed(): Promise<readonly RunEvent[] | DriveOutcome> {
    if (this.#leaving !== undefined) return 'left';
    const claim = this.#claimEvent();
    if (this.run.status !== 'waiting') return [claim, ...(await refusal(this.#ports.admit, this.run, claim.at))];
    const { events, perform } = await this.#settle([claim], (event) => event);
    const isDue = (this.run.wakeAt ?? Infinity) <= claim.at;
    const isIdle = !isDue && events.length === 1 && !perform.some(({ kind }) => kind === 'call');
    return isIdle ? 'waiting' : [claim];
  }

  #claimEvent(): RunEvent {
    this.#claim = this.#writer.durable.claim + 1;
    return { type: 'run.claimed', at: this.#now(), worker: this.#ports.worker, claim: this.#claim };
  }

  /** Events are in order of time, even where a wall clock jumps back. */
  #now(): number {
    return Math.max(this.#ports.clock.now(), this.run.at);
  }

  async #settle(happened: readonly RunEvent[], offload = this.#writer.offload): Promise<SettledRun> {
    const nowMs = Math.max(this.#now(), happened.at(-1)?.at ?? 0);
    const { clock } = this.#ports;
    return withLoadedValues(this.#valueSources(), this.runId, (blobs) => {
      const until = clock.monotonic() + sliceMs[this.#slice];
      const shouldContinue = (): boolean => clock.monotonic() < until;
      return settle(this.#plan, this.run, happened, { nowMs, blobs, offload, shouldContinue });
    });
  }

  #valueSources(): ValueSources {
    const { blobs, cache } = this.#ports;
    return { blobs, cache, journal: this.#writer.journal };
  }

  /** A decision that takes long yields: first to the rest of the process, then to the other runs that take long. */
  async #yieldToOthers(): Promise<readonly RunEvent[] | DriveOutcome> {
    await this.#slices.next(this.run.by, this.#writer.isDurable());
    this.#slice = 'next';
    return this.#collect();
  }

  #append(settled: Pick<SettledRun, 'run' | 'events'>): void {
    const judged = this.#judged;
    this.#judged = [];
    this.#writer.append(settled, judged);
  }

  /** Starts the calls that were decided on, and aborts those that are no longer wanted. */
  #carryOut({ perform, abort }: SettledRun): void {
    const keys = new Map(perform.map((command) => [keyOf(command), command]));
    this.#inFlight.leaveOthers((key, path) => keys.has(key) || this.#isUnderWay(key, path));
    for (const [path, reason] of abort) if (!this.#inFlight.abort(path, reason)) this.#reportUnsent(path, reason);
    for (const [key, command] of keys) {
      if (this.#inFlight.has(key) || this.#asked.has(key)) continue;
      // A child that is still being requested is cancelled after the request has ended.
      if (command.kind === 'cancelChild' && this.#inFlight.has(keyOf({ ...command, kind: 'child' }))) continue;
      this.#inFlight.start(key, command.path, async (signal) => this.#execute(command, key, signal));
    }
  }

  /** Whether the run still shows that attempt as active. */
  #isUnderWay(key: string, path: string): boolean {
    const state = stateAt(this.run, path);
    const isOpen = state?.status === 'running' || state?.status === 'waiting';
    return isOpen && key.endsWith(` ${path}#${state.attempt}`);
  }

  /** Reports a call that is aborted before it was made. Each call that was made reports its own end. */
  #reportUnsent(path: string, reason: string): void {
    const attempt = stateAt(this.run, path)?.attempt ?? 0;
    const failure = { code: 'cancelled', message: reason };
    this.#reports.push({
      path,
      attempt,
      at: this.#now(),
      outcome: 'failed',
      failure,
      delivery: 'unsent',
      aborted: true,
    });
    this.#latch.raise();
  }

  async #execute(command: Command, key: string, signal: AbortSignal): Promise<void> {
    try {
      if (command.kind === 'call') await this.#call(command, key, signal);
      else await this.#child(command, key);
    } catch (error) {
      this.#writer.recordBug(error);
    }
    this.#latch.raise();
  }

  async #call(command: CallCommand, key: string, signal: AbortSignal): Promise<void> {
    const { call, path } = command;
    const isOnRecord = hasSideEffects(call);
    if (isOnRecord && !(await this.#writer.isDurable())) return;
    let isFenced = false;
    const mayBegin = (): boolean => {
      isFenced = this.#isOver || !this.#ownsTheRun(isOnRecord);
      if (!isFenced && isOnRecord) this.#inFlight.markSent(key);
      return !isFenced;
    };
    const report = mayBegin() ? await this.#perform(command, signal, mayBegin) : undefined;
    this.#progress.forget(path);
    if (isFenced) this.#recordFenced(command);
    else if (report !== undefined && !isLeaving(signal)) await this.#take(report);
  }

  #recordFenced({ path, attempt }: Command): void {
    this.#fencedAttempts.set(path, attempt);
    this.#writer.markStale(new UnavailableError('the heartbeat of this worker could not be renewed'));
  }

  /**
   * After a missed heartbeat another worker may be about to claim this run. This worker may act again only after one of
   * its own appends has succeeded since the heartbeat came back: a competing claim then conflicts (I3).
   */
  #ownsTheRun(isOnRecord: boolean): boolean {
    const openSince = this.#ports.fence.openSince();
    return openSince !== undefined && (!isOnRecord || this.#writer.confirmedAt >= openSince);
  }

  #perform(command: CallCommand, signal: AbortSignal, mayBegin: () => boolean): Promise<AttemptReport> {
    const { path, attempt } = command;
    return performCall(this.#ports, command, {
      plan: this.#plan,
      run: this.run,
      valueSources: this.#valueSources(),
      signal,
      mayBegin,
      onProgress: (progress) => this.#progress.note(path, attempt, progress),
      onLate: (report) => {
        this.#take(report).catch((error: unknown) => {
          this.#writer.recordBug(error);
        });
        this.#latch.raise();
      },
    });
  }

  async #take(report: AttemptReport): Promise<void> {
    if (this.#isOver) await this.#reportLate(report);
    else this.#reports.push(report);
  }

  async #child(command: Exclude<Command, { kind: 'call' }>, key: string): Promise<void> {
    if (!(await this.#writer.isDurable())) return;
    if (!this.#ownsTheRun(true)) return this.#recordFenced(command);
    try {
      const event = await requestChild(this.#ports, this.#plan, this.run, command);
      this.#asked.add(key);
      if (event !== undefined) this.#facts.push(event);
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      this.#writer.markStale(error);
    }
  }

  /** No call is in flight, and none begins within a short wait. */
  #mayRest({ wakeAt }: SettledRun): boolean {
    const isBusy = this.#inFlight.size > 0 || this.#reports.length > 0 || this.#facts.length > 0 || this.#isStale;
    return !isBusy && (wakeAt === undefined || wakeAt - this.#now() > shortWaitMs);
  }

  /** Releases the run: from here on only Postgres knows when it continues. */
  async #rest(wakeAt: number | undefined): Promise<readonly RunEvent[] | DriveOutcome> {
    this.#append(this.#writer.fold([waiting(this.#now(), wakeAt)]));
    if (!(await this.#writer.isDurable())) return this.#recover();
    if (wakeAt !== undefined) this.#ring(Math.max(0, wakeAt - this.#now()));
    return 'waiting';
  }

  /** The reconciler rings again where a bell fails. */
  #ring(delayMs: number): void {
    this.#ports.bell.ring([{ runId: this.runId, delayMs, priority: this.run.priority }]).catch(() => {});
  }

  /** Waits until something has happened, and returns the events. */
  async #next(wakeAt: number | undefined): Promise<readonly RunEvent[] | DriveOutcome> {
    const cancelTimer =
      wakeAt === undefined
        ? undefined
        : this.#ports.clock.after(Math.max(0, wakeAt - this.#now()), () => this.#latch.raise());
    await this.#latch.wait();
    cancelTimer?.();
    return this.#collect();
  }

  async #collect(): Promise<readonly RunEvent[] | DriveOutcome> {
    this.#writer.check();
    if (this.#writer.needsReload || this.#isStale) return this.#recover();
    return this.#collectEvents();
  }

  #collectEvents(): RunEvent[] {
    const facts = this.#facts;
    this.#facts = [];
    this.#judged = this.#reports;
    this.#reports = [];
    const isAwaited = ({ path }: { readonly path: string }): boolean => {
      const state = stateAt(this.run, path);
      return state?.status === 'waiting' && state.arrived === undefined;
    };
    const progress = [...this.#ownershipProofs(), ...this.#progress.take(this.#now())];
    return inOrder(this.run.at, [...progress, ...facts.filter(isAwaited), ...this.#judge(this.#judged)]);
  }

  /** Appends a no-op progress event, to prove that this worker still owns the run. */
  #ownershipProofs(): RunEvent[] {
    const at = this.#now();
    const message = 'The worker was away for a while; what is meant to happen here has not been asked for yet.';
    const fenced = [...this.#fencedAttempts];
    this.#fencedAttempts.clear();
    return fenced.flatMap(([path, attempt]): RunEvent[] => {
      const state = stateAt(this.run, path);
      const isMeant = (state?.status === 'running' || state?.status === 'waiting') && state.attempt === attempt;
      return isMeant ? [{ type: 'step.progressed', at, path, attempt, progress: 0, message }] : [];
    });
  }

  /**
   * Judges reports one after the other: after a lost append one attempt may have two reports, and the first one counts.
   */
  #judge(reports: readonly AttemptReport[]): RunEvent[] {
    let run = this.run;
    return reports.flatMap((report) => {
      const events = judge(this.#plan, run, { ...report, at: Math.max(report.at, run.at) });
      run = events.reduce(evolve, run);
      return events;
    });
  }

  /** Discards what was not durable, and reads from the journal the state and the owner of the run. */
  async #recover(): Promise<readonly RunEvent[] | DriveOutcome> {
    if (!(await this.#writer.reopen(() => this.#leaving !== 'now'))) return 'left';
    this.#isStale = false;
    this.#reports = [...this.#writer.takeUnsaved(), ...this.#reports];
    // A lost append may have held the answers to requests for children. Repeating a request finds the existing child.
    this.#asked.clear();
    const isOurs = this.run.claim === this.#claim && this.run.worker === this.#ports.worker;
    if (isOver(this.run)) return isOurs ? 'finished' : 'lost';
    if (!isOurs && (this.run.claim >= this.#claim || (await isHeld(this.#ports, this.run)))) return 'lost';
    if (isOurs && this.run.status === 'running') return this.#collectEvents();
    if (this.#reports.length > 0) this.#latch.raise();
    return [this.#claimEvent()];
  }
}

/** An event that was noticed late gets the time of the last one before it: `at` never decreases in a journal. */
function inOrder(from: number, events: readonly RunEvent[]): RunEvent[] {
  let at = from;
  return events.map((event) => {
    at = Math.max(at, event.at);
    return event.at === at ? event : { ...event, at };
  });
}

const waiting = (at: number, wakeAt: number | undefined): RunEvent => ({
  type: 'run.waiting',
  at,
  ...(wakeAt === undefined ? {} : { wakeAt }),
});

/**
 * Reads the run and creates its driver, or says why it cannot be driven now. Undefined where there is no such run.
 * Rejects with `UnavailableError`.
 */
export async function openDriver(
  ports: Ports,
  slices: Slices,
  runId: string,
): Promise<Driver | DriveOutcome | undefined> {
  const opened = await openRun(ports.journal, runId);
  if (opened === undefined) return undefined;
  const { run, log } = opened;
  if (isOver(run)) return 'finished';
  if (run.status === 'queued' && (run.notBefore ?? 0) > ports.clock.now() && run.cancel === undefined) return 'waiting';
  if (await isHeld(ports, run)) return 'lost';
  const plan = planFor(await ports.plans(run.definition), run);
  const turn = run.status === 'queued' ? await awaitTurn(ports, plan, run) : 'begin';
  return turn === 'begin' ? new Driver(ports, slices, plan, run, log) : turn;
}

/** Another worker that is alive drives the run. Rejects with `UnavailableError`. */
async function isHeld({ worker, workers }: Ports, run: Run): Promise<boolean> {
  if (run.status !== 'running' || run.worker === undefined || run.worker === worker) return false;
  return workers.isAlive(run.worker);
}
