/**
 * Drives one run: decides, performs what can be performed, appends what happened, again, until the run ends or can
 * only wait.
 */
import type { Command, EventOf, AttemptReport, Run, RunEvent, SettledRun } from '@baton/engine';
import { evolve, judge, planFor, settle, stateAt } from '@baton/engine';
import type { Plan } from '@baton/language';

import { refusal } from './admission.ts';
import { requestChild } from './child.ts';
import { hasSideEffects } from './hasSideEffects.ts';
import { InFlightCalls, isLeaving } from './inFlightCalls.ts';
import { type RunLog, UnavailableError } from './journal.ts';
import { Latch } from './latch.ts';
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
 * finished  the run is over, and that is durable
 * waiting   nothing can happen before an instant, or before somebody appends
 * lost      somebody else drives the run
 * left      this worker was told to let go of it
 */
export type DriveOutcome = 'finished' | 'waiting' | 'lost' | 'left';

/** `soon`: when the calls under way have ended. `now`: without them. */
export type LeaveMode = 'soon' | 'now';

/** So long deciding may keep the process from everything else: at first, and where it is this run's turn. */
const sliceMs = { first: 10, next: 25 } as const;

/** A wait shorter than this is not worth letting go of the run. */
const patienceMs = 2_000;

const keyOf = ({ kind, path, attempt }: Pick<Command, 'kind' | 'path' | 'attempt'>): string =>
  `${kind} ${path}#${attempt}`;

type CallCommand = Extract<Command, { kind: 'call' }>;

export class Driver {
  readonly runId: string;
  readonly #ports: Ports;
  readonly #plan: Plan;
  readonly #ledger: RunWriter;
  readonly #flights = new InFlightCalls();
  readonly #progress: ProgressLog;
  readonly #latch = new Latch();
  readonly #slices: Slices;
  #slice: keyof typeof sliceMs = 'first';
  readonly #asked = new Set<string>();
  #claim = 0;
  /** Ends of calls that have come in. */
  #reports: AttemptReport[] = [];
  /** Those that the append in the making accounts for. */
  #judged: readonly AttemptReport[] = [];
  #facts: EventOf<'child.finished'>[] = [];
  /** Calls that were not sent since it was not certain that the run is ours; attempts by path. */
  readonly #barred = new Map<string, number>();
  #isStale = false;
  #isOver = false;
  #leaving: LeaveMode | undefined;

  constructor(ports: Ports, slices: Slices, plan: Plan, run: Run, log: RunLog) {
    this.runId = run.id;
    this.#slices = slices;
    this.#ports = ports;
    this.#plan = plan;
    this.#ledger = new RunWriter(ports, run, log, () => this.#latch.raise());
    this.#progress = new ProgressLog(ports.clock, () => this.#latch.raise());
  }

  /** The run as far as it is known here. */
  get run(): Run {
    return this.#ledger.run;
  }

  get plan(): Plan {
    return this.#plan;
  }

  /** Somebody appended up to `seq`. */
  nudge(seq: number): void {
    if (seq <= this.run.seq) return;
    this.#isStale = true;
    this.#latch.raise();
  }

  /** Asks the driver to let go of the run, so that another worker can take it. */
  leave(when: LeaveMode): void {
    this.#leaving = when;
    if (when === 'now') this.#flights.leave();
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
      if (driven !== 'lost') this.#flights.leave();
    }
  }

  /**
   * After `lost`: waits for the calls that were sent and could be felt, and tells whoever drives the run now how they
   * ended. Nothing else is begun.
   */
  async linger(): Promise<void> {
    await Promise.all([this.#flights.leaveButWait(), ...this.#reports.map((report) => this.#reportLate(report))]);
    this.#ledger.check();
  }

  /** Something came in after the last word was said here. */
  async #reportLate(report: AttemptReport): Promise<void> {
    if (this.#leaving === 'now') return;
    await reportLate(this.#ports, this.#plan, this.runId, report);
  }

  async #drive(): Promise<DriveOutcome> {
    let happened: readonly RunEvent[] | DriveOutcome = await this.#claimed();
    for (;;) {
      if (typeof happened === 'string') return happened;
      happened = this.#leaving === undefined ? await this.#goOn(happened) : await this.#windUp(happened);
    }
  }

  async #goOn(happened: readonly RunEvent[]): Promise<readonly RunEvent[] | DriveOutcome> {
    const settled = await this.#settle(happened);
    this.#slice = 'first';
    this.#append(settled);
    if (isOver(this.run)) return (await this.#ledger.isDurable()) ? 'finished' : this.#recover();
    if (settled.isUnfinished) return this.#letOthers();
    this.#carryOut(settled);
    return this.#mayRest(settled) ? this.#rest(settled.wakeAt) : this.#next(settled.wakeAt);
  }

  /** Told to leave: nothing new begins, what ends is recorded, and then the run is anybody's. */
  async #windUp(happened: readonly RunEvent[]): Promise<readonly RunEvent[] | DriveOutcome> {
    const isEmpty = this.#flights.size === 0 || this.#leaving === 'now';
    const events = isEmpty ? [...happened, waiting(this.#now(), this.#now())] : happened;
    this.#append(this.#ledger.fold(events));
    if (!isEmpty) return this.#next(undefined);
    if (!(await this.#ledger.isDurable())) return this.#recover();
    this.#ring(0);
    return 'left';
  }

  /** The claim, unless claiming would change nothing: an early or doubled bell. */
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
    this.#claim = this.#ledger.durable.claim + 1;
    return { type: 'run.claimed', at: this.#now(), worker: this.#ports.worker, claim: this.#claim };
  }

  /** A journal is in order of time, whatever wall clocks do. */
  #now(): number {
    return Math.max(this.#ports.clock.now(), this.run.at);
  }

  async #settle(happened: readonly RunEvent[], keep = this.#ledger.keep): Promise<SettledRun> {
    const nowMs = Math.max(this.#now(), happened.at(-1)?.at ?? 0);
    const { clock } = this.#ports;
    return withLoadedValues(this.#shelves(), this.runId, (blobs) => {
      const until = clock.monotonic() + sliceMs[this.#slice];
      const mayGoOn = (): boolean => clock.monotonic() < until;
      return settle(this.#plan, this.run, happened, { nowMs, blobs, keep, mayGoOn });
    });
  }

  #shelves(): ValueSources {
    const { blobs, cache } = this.#ports;
    return { blobs, cache, journal: this.#ledger.journal };
  }

  /** Deciding takes long: whatever else this process has to do goes first, and then the other runs that take long. */
  async #letOthers(): Promise<readonly RunEvent[] | DriveOutcome> {
    await this.#slices.next(this.run.by, this.#ledger.isDurable());
    this.#slice = 'next';
    return this.#heard();
  }

  #append(settled: Pick<SettledRun, 'run' | 'events'>): void {
    const judged = this.#judged;
    this.#judged = [];
    this.#ledger.append(settled, judged);
  }

  /** Brings the world in line with what was decided. */
  #carryOut({ perform, abort }: SettledRun): void {
    const keys = new Map(perform.map((command) => [keyOf(command), command]));
    this.#flights.leaveOthers((key, path) => keys.has(key) || this.#isUnderWay(key, path));
    for (const [path, reason] of abort) if (!this.#flights.abort(path, reason)) this.#neverSent(path, reason);
    for (const [key, command] of keys) {
      if (this.#flights.has(key) || this.#asked.has(key)) continue;
      // A child that is being asked for is asked for, and then asked to stop.
      if (command.kind === 'cancelChild' && this.#flights.has(keyOf({ ...command, kind: 'child' }))) continue;
      this.#flights.start(key, command.path, async (signal) => this.#fly(command, key, signal));
    }
  }

  /** Whether that attempt is still what the run says is going on. */
  #isUnderWay(key: string, path: string): boolean {
    const state = stateAt(this.run, path);
    const isOpen = state?.status === 'running' || state?.status === 'waiting';
    return isOpen && key.endsWith(` ${path}#${state.attempt}`);
  }

  /** A call that is to be given up before it was made: every call that was made lands with a report. */
  #neverSent(path: string, reason: string): void {
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

  async #fly(command: Command, key: string, signal: AbortSignal): Promise<void> {
    try {
      if (command.kind === 'call') await this.#call(command, key, signal);
      else await this.#child(command, key);
    } catch (error) {
      this.#ledger.broke(error);
    }
    this.#latch.raise();
  }

  async #call(command: CallCommand, key: string, signal: AbortSignal): Promise<void> {
    const { call, path } = command;
    const isOnRecord = hasSideEffects(call);
    if (isOnRecord && !(await this.#ledger.isDurable())) return;
    let isBarred = false;
    const mayBegin = (): boolean => {
      isBarred = this.#isOver || !this.#mayAct(isOnRecord);
      if (!isBarred && isOnRecord) this.#flights.mustLand(key);
      return !isBarred;
    };
    const report = mayBegin() ? await this.#perform(command, signal, mayBegin) : undefined;
    this.#progress.forget(path);
    if (isBarred) this.#bar(command);
    else if (report !== undefined && !isLeaving(signal)) await this.#take(report);
  }

  #bar({ path, attempt }: Command): void {
    this.#barred.set(path, attempt);
    this.#ledger.doubt(new UnavailableError('the heartbeat of this worker could not be renewed'));
  }

  /**
   * Who was silent may have been taken for dead, by somebody who is still about to take the run over. An append of ours,
   * made since we can be heard again, makes sure of the run: whoever wanted it then loses the race (I3).
   */
  #mayAct(isOnRecord: boolean): boolean {
    const openSince = this.#ports.fence.openSince();
    return openSince !== undefined && (!isOnRecord || this.#ledger.confirmedAt >= openSince);
  }

  #perform(command: CallCommand, signal: AbortSignal, mayBegin: () => boolean): Promise<AttemptReport> {
    const { path, attempt } = command;
    return performCall(this.#ports, command, {
      plan: this.#plan,
      run: this.run,
      shelves: this.#shelves(),
      signal,
      mayBegin,
      onProgress: (progress) => this.#progress.note(path, attempt, progress),
      onLate: (report) => {
        this.#take(report).catch((error: unknown) => {
          this.#ledger.broke(error);
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
    if (!(await this.#ledger.isDurable())) return;
    if (!this.#mayAct(true)) return this.#bar(command);
    try {
      const event = await requestChild(this.#ports, this.#plan, this.run, command);
      this.#asked.add(key);
      if (event !== undefined) this.#facts.push(event);
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      this.#ledger.doubt(error);
    }
  }

  /** Nothing is under way, and nothing will be before a while. */
  #mayRest({ wakeAt }: SettledRun): boolean {
    const isBusy = this.#flights.size > 0 || this.#reports.length > 0 || this.#facts.length > 0 || this.#isStale;
    return !isBusy && (wakeAt === undefined || wakeAt - this.#now() > patienceMs);
  }

  /** Lets go of the run: from here on Postgres alone remembers when it goes on. */
  async #rest(wakeAt: number | undefined): Promise<readonly RunEvent[] | DriveOutcome> {
    this.#append(this.#ledger.fold([waiting(this.#now(), wakeAt)]));
    if (!(await this.#ledger.isDurable())) return this.#recover();
    if (wakeAt !== undefined) this.#ring(Math.max(0, wakeAt - this.#now()));
    return 'waiting';
  }

  /** A bell that fails is rung again by the reconciler. */
  #ring(delayMs: number): void {
    this.#ports.bell.ring([{ runId: this.runId, delayMs, priority: this.run.priority }]).catch(() => {});
  }

  /** Waits until something has happened, and says what. */
  async #next(wakeAt: number | undefined): Promise<readonly RunEvent[] | DriveOutcome> {
    const cancelTimer =
      wakeAt === undefined
        ? undefined
        : this.#ports.clock.after(Math.max(0, wakeAt - this.#now()), () => this.#latch.raise());
    await this.#latch.wait();
    cancelTimer?.();
    return this.#heard();
  }

  async #heard(): Promise<readonly RunEvent[] | DriveOutcome> {
    this.#ledger.check();
    if (this.#ledger.isInTrouble || this.#isStale) return this.#recover();
    return this.#whatHappened();
  }

  #whatHappened(): RunEvent[] {
    const facts = this.#facts;
    this.#facts = [];
    this.#judged = this.#reports;
    this.#reports = [];
    const isAwaited = ({ path }: { readonly path: string }): boolean => {
      const state = stateAt(this.run, path);
      return state?.status === 'waiting' && state.arrived === undefined;
    };
    const progress = [...this.#confirmations(), ...this.#progress.take(this.#now())];
    return inOrder(this.run.at, [...progress, ...facts.filter(isAwaited), ...this.#judge(this.#judged)]);
  }

  /** The smallest fact there is, so that there is an append. */
  #confirmations(): RunEvent[] {
    const at = this.#now();
    const message = 'The worker was away for a while; what is meant to happen here has not been asked for yet.';
    const barred = [...this.#barred];
    this.#barred.clear();
    return barred.flatMap(([path, attempt]): RunEvent[] => {
      const state = stateAt(this.run, path);
      const isMeant = (state?.status === 'running' || state?.status === 'waiting') && state.attempt === attempt;
      return isMeant ? [{ type: 'step.progressed', at, path, attempt, progress: 0, message }] : [];
    });
  }

  /** One after the other: after a lost append there may be two reports of one attempt, and the first one counts. */
  #judge(reports: readonly AttemptReport[]): RunEvent[] {
    let run = this.run;
    return reports.flatMap((report) => {
      const events = judge(this.#plan, run, { ...report, at: Math.max(report.at, run.at) });
      run = events.reduce(evolve, run);
      return events;
    });
  }

  /** What was not durable is forgotten; the journal says where the run stands, and whose it is. */
  async #recover(): Promise<readonly RunEvent[] | DriveOutcome> {
    if (!(await this.#ledger.reopen(() => this.#leaving !== 'now'))) return 'left';
    this.#isStale = false;
    this.#reports = [...this.#ledger.takeUnsaved(), ...this.#reports];
    // What was said of children may have been lost with an append: they are asked for again, and found.
    this.#asked.clear();
    const isOurs = this.run.claim === this.#claim && this.run.worker === this.#ports.worker;
    if (isOver(this.run)) return isOurs ? 'finished' : 'lost';
    if (!isOurs && (this.run.claim >= this.#claim || (await isHeld(this.#ports, this.run)))) return 'lost';
    if (isOurs && this.run.status === 'running') return this.#whatHappened();
    if (this.#reports.length > 0) this.#latch.raise();
    return [this.#claimEvent()];
  }
}

/** What ended while others were appending is told when it is noticed, and never before what stands there already. */
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

/** Reads the run and drives it as far as it goes now. Undefined where there is no such run. Rejects with `UnavailableError`. */
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

/** Somebody else who is alive drives it. Rejects with `UnavailableError`. */
async function isHeld({ worker, workers }: Ports, run: Run): Promise<boolean> {
  if (run.status !== 'running' || run.worker === undefined || run.worker === worker) return false;
  return workers.isAlive(run.worker);
}
