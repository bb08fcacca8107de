/**
 * Writes the events of a driver. State is held twice: `durable` is what Postgres has, `run` is what it will have once
 * the appends in progress succeed. When an append fails, `run` is discarded and reports that are not durable are judged
 * again.
 */
import {
  type AttemptReport,
  type Failure,
  type Path,
  type Run,
  type RunEvent,
  type SettledRun,
  changedRow,
  evolve,
  hasSideEffects,
  isEnded,
  stateAt,
  stateWritesIn,
} from '@baton/engine';
import { backoffMs } from '@baton/primitives';

import type { Ports } from '../drivePorts.ts';
import {
  ConflictError,
  type Journal,
  type NewBlob,
  type RunLog,
  StateRefusedError,
  UnavailableError,
} from '../ports/journal.ts';
import { stateOwner } from '../ports/stateSource.ts';
import { BlobOffloader } from '../values/blobOffloader.ts';
import type { ValueSources } from '../values/withLoadedValues.ts';
import { checkForgery } from './forgedJournal.ts';
import { type RecordedReports, noReports, notifySettled } from './reports.ts';

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** Claims are written at once: they are counted to find a run that kills every worker that takes it. */
const isClaim = ({ type }: RunEvent): boolean => type === 'run.claimed';

/**
 * Whether the call may have had side effects. Its outcome is then written at once: a worker that takes the run over
 * must know it. A call that the run does not show counts as one with side effects.
 */
function mayHaveHadEffects(run: Run, { path }: AttemptReport): boolean {
  const state = stateAt(run, path);
  return state?.status !== 'running' || (state.call !== undefined && hasSideEffects(state.call));
}

/** What an append records, and the position at which it will be durable. */
interface UnsavedAppend {
  readonly reports: RecordedReports;
  readonly blobs: readonly NewBlob[];
  readonly seq: number;
}

/** Before the next try; the first one comes at once. */
const openPauses = { firstMs: 50, longestMs: 2_000 };

export class RunWriter {
  /** The journal for reads: `open` waits until everything that was appended here is durable. */
  readonly journal: Journal = {
    open: async (runId, after) => {
      await this.isDurable();
      return this.#ports.journal.open(runId, after);
    },
  };
  readonly #ports: Ports;
  readonly #offloader: BlobOffloader;
  /** Digests of the blobs that went into the journal of this run, through this log. */
  readonly #givenBlobs = new Set<string>();
  /** Writes of state, and calls, that were refused, by the path of the step. */
  readonly refusals = new Map<Path, Failure>();
  /** Called when an append fails or a bug is recorded. */
  readonly #onFault: () => void;
  #log: RunLog;
  #durable: Run;
  #run: Run;
  #unsaved: UnsavedAppend[] = [];
  /** Blobs of appends that failed. Calls in flight may need them until the same reports are appended again. */
  #discarded: NewBlob[] = [];
  #tail: Promise<void> = Promise.resolve();
  #staleness: Error | undefined;
  /** How often something could not be read or written since an append was last durable. */
  #setbacks = 0;
  #bug: Error | undefined;
  #confirmedAt = -Infinity;

  constructor(ports: Ports, run: Run, log: RunLog, onFault: () => void) {
    this.#ports = ports;
    this.#run = run;
    this.#durable = run;
    this.#log = log;
    this.#offloader = new BlobOffloader(
      ports.cache,
      (sha256) => this.#givenBlobs.has(sha256),
      (blob) => ports.cache.unsaved.hold(blob),
    );
    this.#onFault = onFault;
  }

  /** The run including appends that are not durable yet. */
  get run(): Run {
    return this.#run;
  }

  get durable(): Run {
    return this.#durable;
  }

  /** Shared time in epoch milliseconds; never before the last event, even if the clock jumps back. */
  now(): number {
    return Math.max(this.#ports.clock.now(), this.#run.at);
  }

  get valueSources(): ValueSources {
    const { blobs, cache } = this.#ports;
    return { blobs, cache, journal: this.journal };
  }

  /** Monotonic time at which the last durable append was started. */
  get confirmedAt(): number {
    return this.#confirmedAt;
  }

  /** The journal must be read again before anything is appended. */
  get needsReload(): boolean {
    return this.#staleness !== undefined;
  }

  get offload(): BlobOffloader['offload'] {
    return this.#offloader.offload;
  }

  /** Folds the events alone, without deciding what follows from them. */
  fold(happened: readonly RunEvent[]): Pick<SettledRun, 'run' | 'events'> {
    const events = happened.map(this.#offloader.offload);
    return { run: events.reduce(evolve, this.#run), events };
  }

  /** `reports`: what these events record. */
  append({ run, events }: Pick<SettledRun, 'run' | 'events'>, reports: RecordedReports): void {
    if (events.length === 0) return notifySettled(reports.children, true);
    const row = changedRow(this.#run, run);
    const blobs = this.#offloader.takeBlobs();
    for (const { sha256 } of blobs) this.#givenBlobs.add(sha256);
    this.#release(this.#discarded);
    this.#discarded = [];
    const log = this.#log;
    const writes = stateWritesIn(run, events);
    const state = writes.length === 0 ? {} : { state: { ...stateOwner(run), by: run.by, writes } };
    const startedAt = this.#ports.clock.monotonic();
    const mayWait = !events.some(isClaim) && !reports.attempts.some((report) => mayHaveHadEffects(this.#run, report));
    this.#run = run;
    if (reports !== noReports || blobs.length > 0) this.#unsaved.push({ reports, blobs, seq: run.seq });
    this.#tail = log
      .append({
        events,
        ...(row === undefined ? {} : { row }),
        ...(blobs.length === 0 ? {} : { blobs }),
        ...state,
        mayWait,
      })
      .then(() => this.#saved(run, events, startedAt))
      .catch((error: unknown) => this.#failed(log, error));
  }

  /** Waits for every append so far; false where one failed. Throws where a bug was recorded. */
  async isDurable(): Promise<boolean> {
    this.#log.flush();
    await this.#tail;
    this.check();
    return !this.needsReload;
  }

  /** Marks the state as possibly out of date: the journal must be read again. */
  markStale(error: Error): void {
    if (this.#staleness === undefined && error instanceof UnavailableError) this.#setbacks += 1;
    this.#staleness ??= error;
  }

  /** Records a bug: the next `check` throws it. */
  recordBug(error: unknown): void {
    this.#bug ??= asError(error);
  }

  check(): void {
    if (this.#bug !== undefined) throw this.#bug;
  }

  /**
   * Reads events of other writers and discards what is not durable. False when `mayTry` returns false first, or where
   * there is no such run: its first append did not store it.
   */
  async reopen(mayTry: () => boolean): Promise<boolean> {
    this.#log.flush();
    await this.#tail;
    const opened = await this.#open(mayTry);
    if (opened === undefined) return false;
    this.#staleness = undefined;
    this.#discarded.push(...this.#unsaved.flatMap(({ blobs }) => blobs), ...this.#offloader.takeBlobs());
    // Those of appends that failed are not stored.
    this.#givenBlobs.clear();
    this.#log = opened.log;
    this.#durable = opened.events.reduce(evolve, this.#durable);
    this.#run = this.#durable;
    return true;
  }

  /** Removes and returns the reports that no durable event records. */
  takeUnsaved(): RecordedReports {
    const unsaved = this.#unsaved.map(({ reports }) => reports);
    this.#unsaved = [];
    return {
      attempts: unsaved.flatMap(({ attempts }) => attempts),
      children: unsaved.flatMap(({ children }) => children),
    };
  }

  /** This writer appends nothing more. */
  close(): void {
    const unsaved = this.#unsaved.flatMap(({ blobs }) => blobs);
    this.#release([...this.#discarded, ...unsaved, ...this.#offloader.takeBlobs()]);
    this.#unsaved = [];
    this.#discarded = [];
  }

  #release(blobs: readonly NewBlob[]): void {
    for (const { sha256 } of blobs) this.#ports.cache.unsaved.release(sha256);
  }

  #saved(run: Run, events: readonly RunEvent[], startedAt: number): void {
    this.#durable = run;
    this.#confirmedAt = startedAt;
    this.#setbacks = 0;
    while (this.#unsaved[0] !== undefined && this.#unsaved[0].seq <= run.seq) {
      const saved = this.#unsaved.shift();
      notifySettled(saved?.reports.children ?? [], true);
      this.#release(saved?.blobs ?? []);
    }
    // A first claim needs no hint: there is no earlier owner to notify.
    const isOwn = events.some(isClaim) && run.claim > 1 ? {} : ({ isOwn: true } as const);
    const hint = { runId: run.id, seq: run.seq, ...isOwn };
    if (isEnded(run)) this.#ports.bus.publish({ ...hint, isLast: true });
    else this.#ports.bus.publish(hint, 'soon');
    this.#ports.observe?.(run, events);
  }

  #failed(log: RunLog, error: unknown): void {
    if (log !== this.#log) return;
    if (error instanceof StateRefusedError) this.refusals.set(error.path, error.failure);
    if (error instanceof ConflictError || error instanceof UnavailableError) this.markStale(error);
    else this.recordBug(error);
    this.#onFault();
  }

  /** Retries until the journal can be read. */
  async #open(
    mayTry: () => boolean,
  ): Promise<{ readonly events: readonly RunEvent[]; readonly log: RunLog } | undefined> {
    const { clock, journal, fence } = this.#ports;
    for (let failures = Math.max(0, this.#setbacks - 1); mayTry(); failures += 1) {
      if (failures > 0) await new Promise<void>((resolve) => clock.after(backoffMs(failures, openPauses), resolve));
      if (!mayTry()) break;
      try {
        if (fence.openSince() === undefined) continue;
        const opened = await journal.open(this.#durable.id, this.#durable.seq);
        if (opened !== undefined) checkForgery(this.#durable.id, opened);
        return opened;
      } catch (error) {
        if (!(error instanceof UnavailableError)) throw error;
      }
    }
    return undefined;
  }
}
