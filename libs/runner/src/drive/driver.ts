/**
 * Drives one run: decides, carries out the commands, appends what happened, and repeats, until the run ends or can only
 * wait. The table `driveMoves` orders these actions; this class implements them.
 */
import {
  type Failure,
  type Run,
  type RunEvent,
  type SettledRun,
  chargedCall,
  invariant,
  isEnded,
  rowOf,
  settle,
} from '@baton/engine';
import type { Plan } from '@baton/language';
import { defined, Latch } from '@baton/primitives';

import { RunCalls } from '../call/runCalls.ts';
import type { Ports } from '../drivePorts.ts';
import { refusal } from '../ports/admission.ts';
import { type RunLog, UnavailableError } from '../ports/journal.ts';
import { stateEvents } from '../ports/stateSource.ts';
import { type RecordedReports, noReports, notifySettled } from '../record/reports.ts';
import { RunWriter } from '../record/runWriter.ts';
import type { RecentActivity } from '../sharing/recentActivity.ts';
import type { Slices } from '../sharing/slices.ts';
import { LostValueError } from '../values/lostValue.ts';
import { withLoadedValues } from '../values/withLoadedValues.ts';
import { childEndEvent } from './childEnds.ts';
import {
  type DriveAction,
  type DriveInput,
  type DriveInputs,
  type DriveOutcome,
  type DriveState,
  driveMove,
} from './driveMoves.ts';
import { isHeld } from './isHeld.ts';

/** `soon`: after the calls in flight have ended. `now`: without waiting for them. */
export type LeaveMode = 'soon' | 'now';

/** Maximum time that the first slice of a decision may block the event loop. `Slices` says how long the others may. */
const firstSliceMs = 5;

/** A shorter wait is not worth releasing the run for. */
const shortWaitMs = 2_000;

/**
 * How long after its last event a run that waits only for child runs keeps its worker: releasing and claiming it again
 * costs more than a quick child.
 */
const childPatienceMs = 100;

/** What the runs of a process share its time by. */
export interface TimeSharing {
  readonly slices: Slices;
  readonly activity: RecentActivity;
}

export interface DriverRun {
  readonly run: Run;
  readonly log: RunLog;
  readonly isStored: boolean;
}

/** One method for each action; it returns the next input. */
type DriveActions = { readonly [Action in DriveAction]: () => Promise<DriveInputs[Action] | 'stale'> };

export class Driver implements DriveActions {
  readonly runId: string;
  readonly plan: Plan;
  readonly #ports: Ports;
  readonly #writer: RunWriter;
  readonly #calls: RunCalls;
  readonly #latch = new Latch();
  readonly #time: TimeSharing;
  #sliceMs = firstSliceMs;
  #claim = 0;
  /** Events to fold next, and the reports that they record. */
  #happened: readonly RunEvent[] = [];
  #reports: RecordedReports = noReports;
  /** The next instant at which time alone changes what can be done. */
  #wakeAt: number | undefined;
  /** When something last happened, on the monotonic clock. */
  #happenedAt = 0;
  /** Set while the run holds one of the worker's `waitingPlaces`. */
  #releaseWaitingPlace: (() => void) | undefined;
  #isStale = false;
  /** False until the first append of a run that begins here has stored it. */
  #isStored: boolean;
  /** Why the run is stopped, once a value that decides what follows is lost. */
  #lostValue: Failure | undefined;
  #leaving: LeaveMode | undefined;

  /** `isStored`: the journal has the run; else the first append to `log` stores it. */
  constructor(ports: Ports, time: TimeSharing, plan: Plan, { run, log, isStored }: DriverRun) {
    const wake = (): void => this.#latch.raise();
    this.runId = run.id;
    this.plan = plan;
    this.#time = time;
    this.#ports = ports;
    this.#writer = new RunWriter(ports, run, log, wake);
    this.#calls = new RunCalls(ports, plan, this.#writer, wake);
    this.#happenedAt = ports.clock.monotonic();
    this.#isStored = isStored;
  }

  /** The run as this worker knows it, including appends that are not durable yet. */
  get run(): Run {
    return this.#writer.run;
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
    if (when === 'now') this.#calls.abandon();
    this.#latch.raise();
  }

  /**
   * Hands over a child that this process has driven to its end, instead of an append to the run by another writer.
   * Resolves when the end is on record, or needs no record; false where this driver will not write it.
   */
  async takeChildEnd(child: Run): Promise<boolean> {
    const { parent } = child;
    if (parent?.runId !== this.runId) return false;
    return this.#calls.takeChildEnd(childEndEvent(child, parent.path, this.#ports.clock.now()), parent.attempt);
  }

  /** `onMove` is called with each move, before it is made. */
  async drive(onMove?: (state: DriveState, input: DriveInput) => void): Promise<DriveOutcome> {
    let outcome: DriveOutcome | undefined;
    try {
      let state: DriveState = 'claiming';
      let input = await this.#carryOut('claim');
      while (outcome === undefined) {
        onMove?.(state, input);
        const move = driveMove(state, input);
        if (move.does === 'stop') {
          outcome = move.next;
        } else {
          state = move.next;
          input = await this.#carryOut(move.does);
        }
      }
      return outcome;
    } finally {
      this.#calls.close({ isLost: outcome === 'lost' });
      this.#writer.close();
      notifySettled(this.#reports.children, false);
      this.#releaseWaitingPlace?.();
    }
  }

  /** The only place that takes up what an action could not read. */
  async #carryOut(action: DriveAction): Promise<DriveInput> {
    try {
      return await this[action]();
    } catch (error) {
      if (error instanceof LostValueError) {
        this.#lostValue = error.failure;
        return 'valueLost';
      }
      if (!(error instanceof UnavailableError)) throw error;
      this.#writer.markStale(error);
      return 'stale';
    }
  }

  /**
   * After `lost`: waits for the calls with side effects that were sent, and reports how they ended to the run's new
   * owner. Begins nothing else.
   */
  async awaitSentCalls(): Promise<void> {
    await this.#calls.awaitSent();
    this.#writer.check();
  }

  async claim(): Promise<DriveInputs['claim']> {
    if (this.#leaving !== undefined) return 'unwanted';
    const { run } = this;
    const claim = this.#claimEvent();
    this.#happened = [claim];
    if (run.status !== 'waiting') {
      const { admit, state } = this.#ports;
      const refused = await refusal(admit, run, claim.at);
      this.#happened = [claim, ...(await stateEvents(state, this.plan, run, claim.at)), ...refused];
      return this.#happenedOrLeave();
    }
    // After an early or doubled bell a claim may change nothing.
    const { events, perform } = await this.#settleWithValues([claim], (event) => event);
    const isDue = (run.wakeAt ?? Infinity) <= claim.at;
    const changesNothing = !isDue && events.length === 1 && !perform.some(({ kind }) => kind === 'call');
    if (changesNothing && !this.#calls.isBusy) return 'idle';
    return this.#happenedOrLeave();
  }

  async settle(): Promise<DriveInputs['settle'] | 'stale'> {
    const settled = await this.#settleWithValues(this.#happened).catch((error: unknown) => {
      // What happened is recorded, also where a value that decides what follows cannot be read.
      if (error instanceof UnavailableError || error instanceof LostValueError) this.#recordHappened();
      throw error;
    });
    this.#sliceMs = firstSliceMs;
    this.#append(settled);
    this.#calls.turns.noteUsed(settled.events);
    const isSliced = settled.isUnfinished === true;
    if (settled.events.length > 0) this.#noteHappened(isSliced);
    this.#wakeAt = settled.wakeAt;
    if (isEnded(this.run)) return 'ended';
    // No call is made for a run that does not exist: another run may have its key.
    if (!this.#isStored && !(await this.#writer.isDurable())) return 'stale';
    this.#isStored = true;
    if (isSliced) return 'sliceOver';
    this.#calls.carryOut(settled);
    if (this.#calls.isBusy || this.#isStale) return 'busy';
    const now = this.#writer.now();
    if (settled.wakeAt !== undefined && settled.wakeAt - now <= shortWaitMs) return 'busy';
    const patienceMs = this.#patienceMs(settled);
    if (patienceMs <= 0) return 'idle';
    // Rounded up: the clock counts whole milliseconds, so a fraction would never pass.
    this.#wakeAt = Math.min(settled.wakeAt ?? Infinity, now + Math.ceil(patienceMs));
    return 'busy';
  }

  async stopRun(): Promise<DriveInputs['stopRun']> {
    const { run } = this;
    const at = this.#writer.now();
    const failure = this.#lostValue;
    invariant(failure !== undefined, 'a run is stopped for a reason');
    const mayStop = run.status === 'running' && run.stopped === undefined && run.ending === undefined;
    // A claim that is not appended yet.
    const isNew = this.#happened.length > 0;
    if (mayStop || isNew) {
      this.#happened = [...this.#happened, { type: 'run.stopped', at, failure }];
      return 'happened';
    }
    this.#append(this.#writer.fold([{ type: 'run.finished', at, status: 'failed', failure }]));
    return 'ended';
  }

  /** How long it is worth keeping a run that can only wait. */
  #patienceMs({ perform }: SettledRun): number {
    const { clock, waitingPlaces } = this.#ports;
    if (!perform.some(({ kind }) => kind === 'child')) return 0;
    this.#releaseWaitingPlace ??= waitingPlaces?.tryTake();
    return this.#releaseWaitingPlace === undefined ? 0 : this.#happenedAt + childPatienceMs - clock.monotonic();
  }

  /** Yields to the rest of the process, and to other runs with long decisions. */
  async yield(): Promise<DriveInputs['yield'] | 'stale'> {
    this.#sliceMs = await this.#time.slices.next(this.run.by, this.#writer.isDurable());
    return this.#collect();
  }

  async await(): Promise<DriveInputs['await'] | 'stale'> {
    const wakeAt = this.#wakeAt;
    const cancelTimer =
      wakeAt === undefined
        ? undefined
        : this.#ports.clock.after(Math.max(0, wakeAt - this.#writer.now()), () => this.#latch.raise());
    await this.#latch.wait();
    cancelTimer?.();
    return this.#collect();
  }

  async linger(): Promise<DriveInputs['linger'] | 'stale'> {
    return (await this.await()) === 'stale' ? 'stale' : 'leaveAsked';
  }

  async windUp(): Promise<DriveInputs['windUp']> {
    const isBusy = this.#calls.isBusy && this.#leaving !== 'now';
    const now = this.#writer.now();
    this.#wakeAt = isBusy ? undefined : now;
    this.#append(this.#writer.fold(isBusy ? this.#happened : [...this.#happened, waiting(now, now)]));
    return isBusy ? 'busy' : 'released';
  }

  async rest(): Promise<DriveInputs['rest'] | 'stale'> {
    this.#append(this.#writer.fold([waiting(this.#writer.now(), this.#wakeAt)]));
    return this.confirm();
  }

  async confirm(): Promise<DriveInputs['confirm'] | 'stale'> {
    return (await this.#writer.isDurable()) ? 'durable' : 'stale';
  }

  async ring(): Promise<DriveInputs['ring']> {
    if (this.#wakeAt === undefined) return 'rung';
    const delayMs = Math.max(0, this.#wakeAt - this.#writer.now());
    // The reconciler rings again where a bell fails.
    this.#ports.bell.ring([{ runId: this.runId, delayMs, priority: this.run.priority }]).catch(() => {});
    return 'rung';
  }

  async reopen(): Promise<DriveInputs['reopen']> {
    if (!(await this.#writer.reopen(() => this.#leaving !== 'now'))) return 'unreadable';
    this.#isStale = false;
    this.#isStored = true;
    this.#calls.restore(this.#writer.takeUnsaved());
    this.#calls.turns.restore();
    const { run } = this;
    const isOurs = run.claim === this.#claim && rowOf(run).worker === this.#ports.worker;
    if (isEnded(run)) return isOurs ? 'endedHere' : 'taken';
    if (!isOurs && (run.claim >= this.#claim || (await isHeld(this.#ports, run)))) return 'taken';
    if (!isOurs || run.status !== 'running') return 'unclaimed';
    this.#takeEvents();
    return this.#happenedOrLeave();
  }

  async #collect(): Promise<DriveInputs['await'] | 'stale'> {
    this.#writer.check();
    if (this.#writer.needsReload || this.#isStale) return 'stale';
    this.#takeEvents();
    return this.#happenedOrLeave();
  }

  #takeEvents(): void {
    const { events, reports } = this.#calls.take();
    this.#happened = events;
    this.#reports = reports;
  }

  #happenedOrLeave(): 'happened' | 'leaveAsked' {
    return this.#leaving === undefined ? 'happened' : 'leaveAsked';
  }

  /** `isSliced`: the run needs another slice. */
  #noteHappened(isSliced: boolean): void {
    this.#happenedAt = this.#ports.clock.monotonic();
    if (!isSliced) this.#time.activity.note(this.runId, this.run.by);
  }

  #claimEvent(): RunEvent {
    this.#claim = this.#writer.durable.claim + 1;
    return { type: 'run.claimed', at: this.#writer.now(), worker: this.#ports.worker, claim: this.#claim };
  }

  /** Decides again without the calls that a budget over time refuses: nothing of them was on record. */
  async #settleWithValues(happened: readonly RunEvent[], offload = this.#writer.offload): Promise<SettledRun> {
    for (;;) {
      const settled = await this.#settleOnce(happened, offload);
      if (!(await this.#refusesSome(settled.events))) return settled;
    }
  }

  async #refusesSome(events: readonly RunEvent[]): Promise<boolean> {
    const { budgets } = this.#ports;
    if (budgets === undefined || this.run.trigger.kind === 'undo') return false;
    const charged = events.flatMap((event) => chargedCall(event) ?? []);
    if (charged.length === 0) return false;
    const refused = await budgets.refused(this.run.workflow, charged);
    for (const [path, failure] of refused) this.#writer.refusals.set(path, failure);
    return refused.size > 0;
  }

  #settleOnce(happened: readonly RunEvent[], offload: RunWriter['offload']): Promise<SettledRun> {
    const nowMs = Math.max(this.#writer.now(), happened.at(-1)?.at ?? 0);
    const { clock } = this.#ports;
    return withLoadedValues(this.#writer.valueSources, this.runId, (blobs) => {
      const until = clock.monotonic() + this.#sliceMs;
      const shouldContinue = (): boolean => clock.monotonic() < until;
      const { refusals } = this.#writer;
      const callTurns = this.#calls.turns;
      return settle(this.plan, this.run, happened, {
        nowMs,
        blobs,
        offload,
        shouldContinue,
        refusals,
        callTurns,
      });
    });
  }

  /** Without deciding what follows. */
  #recordHappened(): void {
    const happened = this.#happened;
    this.#happened = [];
    this.#append(this.#writer.fold(happened));
  }

  #append(settled: Pick<SettledRun, 'run' | 'events'>): void {
    const reports = this.#reports;
    this.#reports = noReports;
    this.#writer.append(settled, reports);
  }
}

const waiting = (at: number, wakeAt: number | undefined): RunEvent => ({
  type: 'run.waiting',
  at,
  ...defined({ wakeAt }),
});
