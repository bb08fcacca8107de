/**
 * Starts and aborts the calls and child requests of one run as the engine decides, and collects how they ended. A call
 * with side effects begins only after its intent is durable (I5), and only while this worker owns the run (I3).
 */
import {
  type AttemptReport,
  type Command,
  type EventOf,
  type RunEvent,
  type SettledRun,
  evolve,
  hasSideEffects,
  judge,
  stateAt,
} from '@baton/engine';
import type { Plan } from '@baton/language';

import type { Ports } from '../drivePorts.ts';
import { UnavailableError } from '../ports/journal.ts';
import { ProgressLog } from '../record/progressLog.ts';
import { type ChildReport, type RecordedReports, notifySettled } from '../record/reports.ts';
import type { RunWriter } from '../record/runWriter.ts';
import { requestChild } from './child.ts';
import { HeldTurns } from './heldTurns.ts';
import { InFlightCalls, isLeaving } from './inFlightCalls.ts';
import { reportLate } from './lateReports.ts';
import { performCall } from './performCall.ts';

const commandKey = ({ kind, path, attempt }: Pick<Command, 'kind' | 'path' | 'attempt'>): string =>
  `${kind} ${path}#${attempt}`;

type CallCommand = Extract<Command, { kind: 'call' }>;

/** Events to append for calls and children that ended or progressed, and the reports that these events record. */
export interface TakenEvents {
  readonly events: readonly RunEvent[];
  readonly reports: RecordedReports;
}

export class RunCalls {
  readonly #ports: Ports;
  readonly #plan: Plan;
  readonly #writer: RunWriter;
  /** Called when a call ended, or reported progress. */
  readonly #onReport: () => void;
  readonly #inFlight = new InFlightCalls();
  readonly #progress: ProgressLog;
  readonly #turns: HeldTurns;
  readonly #requestedChildren = new Set<string>();
  /** Reports of calls that have ended. */
  #attempts: AttemptReport[] = [];
  #children: ChildReport[] = [];
  /** Calls that this worker did not send because it might no longer own the run: attempt by path. */
  readonly #fencedAttempts = new Map<string, number>();
  #isClosed = false;
  #isAbandoned = false;

  constructor(ports: Ports, plan: Plan, writer: RunWriter, onReport: () => void) {
    this.#ports = ports;
    this.#plan = plan;
    this.#writer = writer;
    this.#onReport = onReport;
    this.#turns = new HeldTurns(ports.pace, writer.run);
    this.#progress = new ProgressLog(ports.clock, onReport);
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** A call is in flight, or one has ended and no event records its end yet. */
  get isBusy(): boolean {
    return this.#inFlight.size > 0 || this.#attempts.length > 0 || this.#children.length > 0;
  }

  /** The turns at servers that steps of the run have now. */
  get turns(): HeldTurns {
    return this.#turns;
  }

  /** Aborts every call at once and reports none of their ends. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#inFlight.leave();
  }

  /** Ends the drive. After a lost run the calls that were sent continue, see `awaitSent`. */
  close({ isLost }: { readonly isLost: boolean }): void {
    this.#isClosed = true;
    this.#progress.close();
    notifySettled([...this.#children, ...this.#writer.takeUnsaved().children], false);
    this.#children = [];
    if (!isLost) this.#inFlight.leave();
  }

  /** After a lost run: waits for the calls that were sent, and reports how they ended to the run's new owner. */
  async awaitSent(): Promise<void> {
    await Promise.all([this.#inFlight.leaveUnsent(), ...this.#attempts.map((report) => this.#reportLate(report))]);
  }

  /** Starts the calls that were decided on, and aborts those that are no longer wanted. */
  carryOut({ perform, abort }: SettledRun): void {
    const keys = new Map(perform.map((command) => [commandKey(command), command]));
    this.#inFlight.leaveUnwanted((key, path) => keys.has(key) || this.#isUnderWay(key, path));
    for (const [path, reason] of abort) if (!this.#inFlight.abort(path, reason)) this.#reportUnsent(path, reason);
    // Calls that ended while a value was read for the decision, which does not know that yet.
    const reported = new Set(this.#attempts.map(({ path, attempt }) => commandKey({ kind: 'call', path, attempt })));
    for (const [key, command] of keys) {
      if (this.#inFlight.has(key) || reported.has(key) || this.#requestedChildren.has(key)) continue;
      // A child that is still being requested is cancelled after the request has ended.
      if (command.kind === 'cancelChild' && this.#inFlight.has(commandKey({ ...command, kind: 'child' }))) continue;
      this.#inFlight.start(key, command.path, async (signal) => this.#execute(command, key, signal));
    }
  }

  /**
   * Takes the end of a child that this process drove. Resolves when it is on record, or needs none; false where this
   * driver will not write it.
   */
  async takeChildEnd(event: EventOf<'child.finished'>, attempt: number): Promise<boolean> {
    if (this.#isClosed || !this.#isAwaited({ event, attempt })) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#children.push({ event, attempt, onSettled: resolve });
    this.#onReport();
    return promise;
  }

  /** Takes what ended since the last call. */
  take(): TakenEvents {
    const attempts = this.#attempts;
    this.#attempts = [];
    const children = this.#takeAwaited();
    const progress = [...this.#ownershipProofs(), ...this.#progress.take(this.#writer.now())];
    for (const { path } of attempts) this.#progress.forget(path);
    const events = [...progress, ...children.map(({ event }) => event), ...this.#judge(attempts)];
    return { events: inTimeOrder(this.#writer.run.at, events), reports: { attempts, children } };
  }

  /** Takes back, after a reload of the journal, the reports of appends that failed. */
  restore(unsaved: RecordedReports): void {
    this.#attempts = [...unsaved.attempts, ...this.#attempts];
    this.#children = [...unsaved.children, ...this.#children];
    if (this.#attempts.length > 0 || this.#children.length > 0) this.#onReport();
  }

  /** The first report of each child that the run waits for. */
  #takeAwaited(): readonly ChildReport[] {
    const awaited = new Map<string, ChildReport>();
    const unneeded: ChildReport[] = [];
    for (const report of this.#children) {
      const { path } = report.event;
      if (this.#isAwaited(report) && !awaited.has(path)) awaited.set(path, report);
      else unneeded.push(report);
    }
    this.#children = [];
    notifySettled(unneeded, true);
    return [...awaited.values()];
  }

  #isAwaited({ event, attempt }: ChildReport): boolean {
    const state = stateAt(this.#writer.run, event.path);
    return state?.status === 'waiting' && state.attempt === attempt && state.arrived === undefined;
  }

  /** Whether the run still shows that attempt as active. */
  #isUnderWay(key: string, path: string): boolean {
    const state = stateAt(this.#writer.run, path);
    const isOpen = state?.status === 'running' || state?.status === 'waiting';
    return isOpen && key.endsWith(` ${path}#${state.attempt}`);
  }

  /** Reports a call that is aborted before it was made. Each call that was made reports its own end. */
  #reportUnsent(path: string, reason: string): void {
    const attempt = stateAt(this.#writer.run, path)?.attempt ?? 0;
    const failure = { code: 'cancelled', message: reason };
    const at = this.#writer.now();
    this.#attempts.push({ path, attempt, at, outcome: 'failed', failure, delivery: 'unsent', aborted: true });
    this.#onReport();
  }

  async #execute(command: Command, key: string, signal: AbortSignal): Promise<void> {
    try {
      if (command.kind === 'call') await this.#call(command, key, signal);
      else if (command.kind === 'turn') await this.#turns.take(command);
      else await this.#child(command, key);
    } catch (error) {
      // Nothing was sent and nothing was requested: once the journal was read again, the same command is carried out again.
      if (error instanceof UnavailableError) this.#writer.markStale(error);
      else this.#writer.recordBug(error);
    }
    this.#onReport();
  }

  async #call(command: CallCommand, key: string, signal: AbortSignal): Promise<void> {
    const isOnRecord = hasSideEffects(command.call);
    if (isOnRecord && !(await this.#writer.isDurable())) return;
    if (isOnRecord) this.#turns.forget(command);
    let isFenced = false;
    const beginSend = (): boolean => {
      isFenced = this.#isClosed || !this.#ownsTheRun(isOnRecord);
      if (!isFenced && isOnRecord) this.#inFlight.markSent(key);
      return !isFenced;
    };
    const report = beginSend() ? await this.#perform(command, signal, beginSend) : undefined;
    this.#turns.forget(command);
    if (isFenced) this.#recordFenced(command);
    else if (report !== undefined && !isLeaving(signal)) await this.#addReport(report);
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

  async #perform(command: CallCommand, signal: AbortSignal, beginSend: () => boolean): Promise<AttemptReport> {
    const { path, attempt } = command;
    const performed = performCall(this.#ports, command, {
      plan: this.#plan,
      run: this.#writer.run,
      valueSources: this.#writer.valueSources,
      signal,
      beginSend,
      onProgress: (progress) => this.#progress.note(path, attempt, progress),
      onLate: (report) => {
        this.#addReport(report).catch((error: unknown) => {
          this.#writer.recordBug(error);
        });
        this.#onReport();
      },
    });
    return performed.catch((error: unknown) => {
      this.#progress.forget(path);
      throw error;
    });
  }

  async #addReport(report: AttemptReport): Promise<void> {
    if (this.#isClosed) await this.#reportLate(report);
    else this.#attempts.push(report);
  }

  /** A call ended after this worker had appended for the last time. */
  async #reportLate(report: AttemptReport): Promise<void> {
    if (this.#isAbandoned) return;
    await reportLate(this.#ports, this.#plan, this.#writer.run.id, report);
  }

  async #child(command: Exclude<Command, { kind: 'call' | 'turn' }>, key: string): Promise<void> {
    if (!(await this.#writer.isDurable())) return;
    if (!this.#ownsTheRun(true)) return this.#recordFenced(command);
    const event = await requestChild(this.#ports, this.#plan, this.#writer.run, command);
    this.#requestedChildren.add(key);
    if (event !== undefined) this.#children.push({ event, attempt: command.attempt });
  }

  /** A no-op progress event for each fenced call: appending it proves that this worker still owns the run. */
  #ownershipProofs(): RunEvent[] {
    const at = this.#writer.now();
    const message = 'The worker was cut off from Postgres for a while; Baton has not made this call yet.';
    const fenced = [...this.#fencedAttempts];
    this.#fencedAttempts.clear();
    return fenced.flatMap(([path, attempt]): RunEvent[] => {
      const state = stateAt(this.#writer.run, path);
      const isStillActive = (state?.status === 'running' || state?.status === 'waiting') && state.attempt === attempt;
      return isStillActive ? [{ type: 'step.progressed', at, path, attempt, progress: 0, message }] : [];
    });
  }

  /**
   * Judges reports one after the other: after a lost append one attempt may have two reports, and the first one counts.
   */
  #judge(reports: readonly AttemptReport[]): RunEvent[] {
    let { run } = this.#writer;
    return reports.flatMap((report) => {
      const events = judge(this.#plan, run, { ...report, at: Math.max(report.at, run.at) });
      run = events.reduce(evolve, run);
      return events;
    });
  }
}

/** An event that was noticed late gets the time of the event before it: `at` never decreases in a journal. */
function inTimeOrder(from: number, events: readonly RunEvent[]): RunEvent[] {
  let at = from;
  return events.map((event) => {
    at = Math.max(at, event.at);
    return event.at === at ? event : { ...event, at };
  });
}
