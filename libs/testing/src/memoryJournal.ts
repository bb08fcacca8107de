/**
 * Journals, rows, blobs and requests in memory, with the uniqueness rules of the real ones. For tests and the simulation,
 * which says when commits happen and which of them go wrong.
 */
import { randomUUID } from 'node:crypto';

import type { RunEvent } from '@baton/engine';
import type { Append, BlobStore, Journal, NewBlob, OpenRun, RunLog, RunRow } from '@baton/runner';
import { ConflictError, UnavailableError } from '@baton/runner';
import type { Requested, RunRequest } from '@baton/store';

/**
 * written   and the writer is told so
 * unheard   written, and the answer is lost
 * lost      not written
 */
export type Fate = 'written' | 'unheard' | 'lost';

export interface MemoryJournalOptions {
  /** When what is pending is committed. Default: at the end of the turn. */
  readonly schedule?: (commit: () => void) => void;
  /** What becomes of one run's part of a commit. */
  readonly fate?: (runId: string) => Fate;
  readonly newId?: () => string;
}

interface Kept {
  /** Each event as JSON text, for what is read must be what would come back from Postgres. */
  readonly events: string[];
  row: RunRow;
}

interface Pending {
  readonly log: MemoryLog;
  readonly texts: readonly string[];
  readonly row: RunRow | undefined;
  readonly blobs: readonly NewBlob[];
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class MemoryJournal implements Journal {
  readonly #options: Required<MemoryJournalOptions>;
  readonly #runs = new Map<string, Kept>();
  readonly #blobs = new Map<string, string>();
  readonly #byKey = new Map<string, { readonly runId: string; readonly digest: string }>();
  readonly #byParent = new Map<string, string>();
  #pending: Pending[] = [];
  #isScheduled = false;

  constructor({
    schedule = queueMicrotask,
    fate = () => 'written',
    newId = () => randomUUID(),
  }: MemoryJournalOptions = {}) {
    this.#options = { schedule, fate, newId };
  }

  readonly blobs: BlobStore = { get: async (sha256) => this.#blobs.get(sha256) };

  get runIds(): readonly string[] {
    return [...this.#runs.keys()];
  }

  row(runId: string): RunRow | undefined {
    return this.#runs.get(runId)?.row;
  }

  async open(runId: string, after = 0): Promise<OpenRun | undefined> {
    const kept = this.#runs.get(runId);
    if (kept === undefined || after > kept.events.length) return undefined;
    const events = kept.events.slice(after).map((text) => JSON.parse(text) as RunEvent);
    return { events, log: new MemoryLog(runId, kept.events.length, (pending) => this.#add(pending)) };
  }

  async request({ event, blobs = [], idempotency }: RunRequest): Promise<Requested> {
    const { parent } = event;
    const key = idempotency && JSON.stringify([idempotency.scope, idempotency.key]);
    const known = key === undefined ? undefined : this.#byKey.get(key);
    if (known !== undefined) {
      return { kind: known.digest === idempotency?.digest ? 'existing' : 'key-reused', runId: known.runId };
    }
    const asked = parent && JSON.stringify([parent.runId, parent.path, parent.attempt]);
    const child = asked === undefined ? undefined : this.#byParent.get(asked);
    if (child !== undefined) return { kind: 'existing', runId: child };
    const runId = this.#options.newId();
    const fate = this.#options.fate(runId);
    if (fate !== 'lost') {
      this.#runs.set(runId, { events: [JSON.stringify(event)], row: queuedRow(event.notBefore) });
      this.#putBlobs(blobs);
      if (key !== undefined) this.#byKey.set(key, { runId, digest: idempotency?.digest ?? '' });
      if (asked !== undefined) this.#byParent.set(asked, runId);
    }
    if (fate !== 'written') throw new UnavailableError('the answer of the database was lost');
    return { kind: 'created', runId };
  }

  #add(pending: Pending): void {
    this.#pending.push(pending);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#options.schedule(() => this.#commit());
  }

  /** Everything pending at once; within it, each log has a fate of its own. */
  #commit(): void {
    this.#isScheduled = false;
    const byLog = Map.groupBy(this.#pending, ({ log }) => log);
    this.#pending = [];
    for (const [log, batch] of byLog) this.#write(log, batch);
  }

  #write(log: MemoryLog, batch: readonly Pending[]): void {
    const kept = this.#runs.get(log.runId);
    const fate = this.#options.fate(log.runId);
    if (kept === undefined || kept.events.length !== log.committed) log.trouble ??= new ConflictError(log.runId);
    if (fate === 'lost') log.trouble ??= new UnavailableError('the commit was lost');
    for (const { texts, row, blobs, resolve, reject } of batch) {
      if (log.trouble !== undefined || kept === undefined) {
        reject(log.trouble ?? new ConflictError(log.runId));
        continue;
      }
      kept.events.push(...texts);
      kept.row = row ?? kept.row;
      this.#putBlobs(blobs);
      log.committed = kept.events.length;
      if (fate === 'written') resolve();
      else reject(new UnavailableError('the answer of the database was lost'));
    }
    if (fate === 'unheard') log.trouble ??= new UnavailableError('the answer of the database was lost');
  }

  #putBlobs(blobs: readonly NewBlob[]): void {
    for (const { sha256, text } of blobs) this.#blobs.set(sha256, text);
  }
}

class MemoryLog implements RunLog {
  readonly runId: string;
  readonly #add: (pending: Pending) => void;
  #seq: number;
  committed: number;
  trouble: Error | undefined;

  constructor(runId: string, seq: number, add: (pending: Pending) => void) {
    this.runId = runId;
    this.#seq = seq;
    this.committed = seq;
    this.#add = add;
  }

  get seq(): number {
    return this.#seq;
  }

  async append({ events, row, blobs = [] }: Append): Promise<void> {
    if (this.trouble !== undefined) throw this.trouble;
    this.#seq += events.length;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const texts = events.map((event) => JSON.stringify(event));
    this.#add({ log: this, texts, row, blobs, resolve, reject });
    await promise;
  }
}

const queuedRow = (wakeAt: number | undefined): RunRow => ({
  status: 'queued',
  worker: undefined,
  startedAt: undefined,
  endedAt: undefined,
  wakeAt,
  outputs: undefined,
  failure: undefined,
  isCancelling: false,
  questions: 0,
});
