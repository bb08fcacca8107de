/** Drives the runs of one worker process, with at most one driver per run, and routes hints to the drivers. */
import { type Run, type UnfinishedRun, planFor } from '@baton/engine';
import type { Plan } from '@baton/language';
import { unawaited } from '@baton/primitives';

import type { Ports } from '../drivePorts.ts';
import { bellAheadMs } from '../ports/bell.ts';
import type { Hint } from '../ports/bus.ts';
import type { RunLog } from '../ports/journal.ts';
import { ForgedJournalError } from '../record/forgedJournal.ts';
import { FairStarts } from '../sharing/fairStarts.ts';
import { RecentActivity } from '../sharing/recentActivity.ts';
import { ServedCallers } from '../sharing/servedCallers.ts';
import { Slices } from '../sharing/slices.ts';
import { ChildEnds } from './childEnds.ts';
import type { DriveOutcome } from './driveMoves.ts';
import { type LeaveMode, Driver } from './driver.ts';
import { endForgedRun } from './endForgedRun.ts';
import { openDriver } from './openDriver.ts';
import { passTurn } from './turn.ts';

/** A run whose first append stores it. */
export interface BeginningRun {
  /** After its first event. */
  readonly run: Run;
  readonly log: RunLog;
  readonly plan: Plan;
}

interface ActiveRun {
  /** The caller who asked for the run, once it has been read. */
  by: string | undefined;
  driver: Driver | undefined;
  /** A bell rang during this drive, perhaps for an event that the drive has not read. */
  isRungAgain: boolean;
}

export class RunDrivers {
  readonly #ports: Ports;
  readonly #childEnds: ChildEnds;
  readonly #activity: RecentActivity;
  readonly #slices: Slices;
  readonly #starts: FairStarts;
  readonly #served = new ServedCallers();
  readonly #active = new Map<string, ActiveRun>();
  /** Drivers of lost runs whose sent calls have not ended. */
  readonly #awaitingSentCalls = new Set<Driver>();
  #leaving: LeaveMode | undefined;

  constructor(ports: Ports) {
    this.#ports = ports;
    this.#childEnds = new ChildEnds(ports);
    this.#activity = new RecentActivity(ports.clock);
    this.#slices = new Slices(ports.clock, this.#activity);
    this.#starts = new FairStarts(ports.clock, this.#activity);
  }

  get size(): number {
    return this.#active.size;
  }

  /** The number of runs that are being driven, by the caller who asked for them. */
  runsByCaller(): ReadonlyMap<string, number> {
    const runs = new Map<string, number>();
    for (const { by } of this.#active.values()) if (by !== undefined) runs.set(by, (runs.get(by) ?? 0) + 1);
    return runs;
  }

  /** Callers whose runs were driven here; the one whose run was released last is at the end. */
  servedCallers(): readonly string[] {
    return this.#served.inOrder();
  }

  /** Ids of the runs that are being driven. */
  get runIds(): readonly string[] {
    return [...this.#active.keys()];
  }

  /**
   * Drives the run until it ends or waits. A second call for the same run makes its driver read the journal again.
   * Rejects with `UnavailableError`, and with `ForgedJournalError` where the run was ended because of its journal.
   */
  async drive(runId: string): Promise<DriveOutcome | 'gone'> {
    const before = this.#active.get(runId);
    if (before !== undefined) {
      before.isRungAgain = true;
      before.driver?.nudge(Infinity);
      return 'lost';
    }
    return this.#drive(runId, { by: undefined, driver: undefined, isRungAgain: false });
  }

  /** Whether a run of this caller may begin here at once, and none of another waits for that. */
  mayBegin(by: string): boolean {
    return this.#leaving === undefined && this.#starts.mayBegin(by);
  }

  /** Drives a run that is not stored yet: its first append stores it. Where it does not, resolves to `left`. */
  async begin({ run, log, plan }: BeginningRun): Promise<DriveOutcome | 'gone'> {
    const time = { slices: this.#slices, activity: this.#activity };
    this.#activity.note(run.id, run.by);
    const driver = new Driver(this.#ports, time, planFor(plan, run), { run, log, isStored: false });
    return this.#drive(run.id, { by: run.by, driver, isRungAgain: false });
  }

  async #drive(runId: string, active: ActiveRun): Promise<DriveOutcome | 'gone'> {
    this.#active.set(runId, active);
    try {
      let driven: DriveOutcome | 'gone' | undefined = active.driver && (await this.#follow(active.driver));
      while (driven === undefined || (active.isRungAgain && (driven === 'waiting' || driven === 'left'))) {
        active.isRungAgain = false;
        if (this.#leaving !== undefined) return 'left';
        driven = await this.#driveOnce(runId, active);
      }
      return driven;
    } catch (error) {
      if (!(error instanceof ForgedJournalError) || error.runId !== runId) throw error;
      await endForgedRun(this.#ports, error);
      throw error;
    } finally {
      this.#active.delete(runId);
      if (active.by !== undefined) this.#served.note(active.by);
      this.#activity.forget(runId);
    }
  }

  async #driveOnce(runId: string, active: ActiveRun): Promise<DriveOutcome | 'gone'> {
    active.driver = undefined;
    const driver = await this.#open(runId, active);
    if (driver === undefined) return 'gone';
    if (typeof driver === 'string') return driver;
    active.driver = driver;
    return this.#follow(driver);
  }

  async #follow(driver: Driver): Promise<DriveOutcome> {
    if (this.#leaving !== undefined) driver.leave(this.#leaving);
    const driven = await driver.drive();
    if (driven === 'finished') await this.#finish(driver);
    if (driven === 'lost') this.#awaitSentCalls(driver);
    return driven;
  }

  /** Undefined where there is no such run. Looks a missing run up again for as long as its bell may be early. */
  async #open(runId: string, active: ActiveRun): Promise<Driver | DriveOutcome | undefined> {
    const ports = this.#ports;
    const { clock } = ports;
    const time = { slices: this.#slices, activity: this.#activity };
    const hold = async (run: UnfinishedRun): Promise<boolean> => {
      active.by = run.by;
      return run.cancel === undefined && this.#starts.next(run);
    };
    const until = clock.monotonic() + bellAheadMs;
    for (let looks = 1; ; looks += 1) {
      const isLast = clock.monotonic() >= until;
      const driver = await openDriver({ ports, time, hold }, runId);
      if (driver !== undefined || isLast) return driver;
      if (looks > 1) await new Promise<void>((resolve) => clock.after(1, resolve));
    }
  }

  /** Routes a hint from the bus to the driver of its run, or to its held start. */
  routeHint(hint: Hint): void {
    const active = this.#active.get(hint.runId);
    if (active === undefined) return;
    if (active.driver === undefined) this.#starts.routeHint(hint);
    else active.driver.nudge(hint.seq);
  }

  /** Releases every run. `soon`: after its calls have ended. */
  leave(when: LeaveMode): void {
    this.#leaving = when;
    for (const { driver } of this.#active.values()) driver?.leave(when);
    for (const driver of this.#awaitingSentCalls) driver.leave(when);
  }

  /** A rejection here is a bug, and ends the process. */
  #awaitSentCalls(driver: Driver): void {
    this.#awaitingSentCalls.add(driver);
    unawaited(driver.awaitSentCalls().finally(() => this.#awaitingSentCalls.delete(driver)));
  }

  /** The reconciler repeats what fails here. */
  async #finish({ run, plan }: Driver): Promise<void> {
    this.#ports.calls.release(run.id);
    try {
      await passTurn(this.#ports, plan, run);
    } finally {
      await this.#notifyParent(run);
    }
  }

  /** A parent that this process drives gets the end through its own driver, so that no two appends race. */
  async #notifyParent(child: Run): Promise<void> {
    if (child.parent === undefined) return;
    const driver = this.#active.get(child.parent.runId)?.driver;
    if (driver === undefined || !(await driver.takeChildEnd(child))) await this.#childEnds.notify(child);
  }
}
