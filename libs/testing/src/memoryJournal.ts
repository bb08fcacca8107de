/**
 * Journals, rows, blobs and requests in memory, with the uniqueness rules of the real ones. For tests and the simulation,
 * which says when commits happen and which of them go wrong.
 */
import { randomUUID } from 'node:crypto';

import { type RunEvent, type RunRow, replay, rowOf } from '@baton/engine';
import {
  type Append,
  type BlobStore,
  type Journal,
  type NewBlob,
  type OpenRun,
  type RunLog,
  ConflictError,
  UnavailableError,
} from '@baton/runner';
import {
  type ChainLink,
  type RequestOutcome,
  type RunRequest,
  type StoredRequest,
  genesis,
  linkHash,
} from '@baton/store';

import { MemoryState } from './memoryState.ts';

/**
 * written   and the writer is told so
 * unheard   written, and the answer is lost
 * lost      not written
 * late      the writer is told that nothing is known, and it is written afterwards, if no other writer was faster
 */
export type AppendFate = 'written' | 'unheard' | 'lost' | 'late';

export interface MemoryDoor {
  /** When what is pending is committed. Default: at the end of the turn. */
  readonly schedule?: (commit: () => void) => void;
  /** What becomes of one run's part of a commit. */
  readonly fate?: (runId: string) => AppendFate;
  /** When a late commit comes after all. */
  readonly afterwards?: (commit: () => void) => void;
}

export interface MemoryJournalOptions extends MemoryDoor {
  readonly newId?: () => string;
  /** Called for everything that was written, in order: the position before it, and the events. */
  readonly onWritten?: (runId: string, seq: number, events: readonly RunEvent[]) => void;
  /** False: the second writer is not refused. For tests that switch the safeguard off. */
  readonly isOptimistic?: boolean;
  /** False: neither keys nor parents are unique. For tests that show why uniqueness is needed. */
  readonly isUnique?: boolean;
  /** False: what another run has written to the state is overwritten. */
  readonly isStateCompared?: boolean;
  /** False: state is written also where the events are not. */
  readonly isStateWithEvents?: boolean;
}

/** As in Postgres: the JSON text, so that reads return what Postgres would, and the hash of the write. */
interface KeptEvent {
  readonly text: string;
  readonly hash: string;
}

interface KeptJournal {
  readonly events: KeptEvent[];
  row: RunRow;
}

interface PendingCommit {
  readonly log: MemoryLog;
  readonly events: readonly KeptEvent[];
  readonly row: RunRow | undefined;
  readonly blobs: readonly NewBlob[];
  readonly state: Append['state'];
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class MemoryJournal implements Journal {
  readonly #options: Required<MemoryJournalOptions>;
  readonly #runs = new Map<string, KeptJournal>();
  readonly #blobs = new Map<string, string>();
  readonly #byKey = new Map<string, { readonly runId: string; readonly digest: string }>();
  readonly #byParent = new Map<string, string>();
  readonly #own: JournalDoor;

  constructor(options: MemoryJournalOptions = {}) {
    this.#options = {
      schedule: queueMicrotask,
      fate: () => 'written',
      afterwards: queueMicrotask,
      newId: () => randomUUID(),
      onWritten: () => undefined,
      isOptimistic: true,
      isUnique: true,
      isStateCompared: true,
      isStateWithEvents: true,
      ...options,
    };
    this.state = new MemoryState({ isCompared: this.#options.isStateCompared });
    this.#own = new JournalDoor(this.#options, (log, batch, fate) => this.#write(log, batch, fate));
  }

  /** What workflows remember, by owner. */
  readonly state: MemoryState;
  readonly blobs: BlobStore = { get: async (sha256) => this.#blobs.get(sha256) };

  get runIds(): readonly string[] {
    return [...this.#runs.keys()];
  }

  row(runId: string): RunRow | undefined {
    return this.#runs.get(runId)?.row;
  }

  /** The run that this step asked for. */
  childOf(parent: NonNullable<RunRequest['event']['parent']>): string | undefined {
    return this.#byParent.get(parentKey(parent));
  }

  /** A run's events with their hashes, for `verifyChain`. */
  links(runId: string): (ChainLink & { readonly hash: string })[] {
    const kept = this.#runs.get(runId)?.events ?? [];
    return kept.map(({ text, hash }, index) => ({ ...linkOf(runId, index + 1, text), hash }));
  }

  /** As a backup that takes its place: of each run so many events are left, of the others nothing. */
  goBack(left: ReadonlyMap<string, number>): void {
    for (const [runId, kept] of this.#runs) {
      const count = left.get(runId) ?? 0;
      if (count === 0) this.#runs.delete(runId);
      if (count === 0 || count === kept.events.length) continue;
      kept.events.splice(count);
      const events = kept.events.map(({ text }) => JSON.parse(text) as RunEvent);
      kept.row = rowOf(replay(runId, events));
    }
    for (const [key, { runId }] of this.#byKey) if (!this.#runs.has(runId)) this.#byKey.delete(key);
    for (const [parent, runId] of this.#byParent) if (!this.#runs.has(runId)) this.#byParent.delete(parent);
  }

  async open(runId: string, after = 0): Promise<OpenRun | undefined> {
    return this.#open(this.#own, runId, after);
  }

  request(request: RunRequest): Promise<RequestOutcome> {
    return this.#request(this.#own, request);
  }

  /** Stores the run with the first append of its worker. */
  requestBegun(request: RunRequest, first: Append): Promise<StoredRequest> {
    return this.#requestBegun(this.#own, request, first);
  }

  /** The same journal as another process sees it, whose commits have fates of their own. */
  door(options: MemoryDoor): Journal & Pick<MemoryJournal, 'request' | 'requestBegun'> {
    const own = new JournalDoor({ ...this.#options, ...options }, (log, batch, fate) => this.#write(log, batch, fate));
    return {
      open: async (runId, after = 0) => this.#open(own, runId, after),
      request: (request) => this.#request(own, request),
      requestBegun: (request, first) => this.#requestBegun(own, request, first),
    };
  }

  #open(door: JournalDoor, runId: string, after: number): OpenRun | undefined {
    const kept = this.#runs.get(runId);
    if (kept === undefined || after > kept.events.length) return undefined;
    const events = kept.events.slice(after).map(({ text }) => JSON.parse(text) as RunEvent);
    const head = kept.events.at(-1)?.hash ?? genesis;
    return { events, log: new MemoryLog(runId, kept.events.length, head, (pending) => door.add(pending)) };
  }

  async #requestBegun(door: JournalDoor, request: RunRequest, first: Append): Promise<StoredRequest> {
    const outcome = await this.#request(door, request, first);
    const log = outcome.kind === 'created' ? this.#open(door, outcome.runId, 0)?.log : undefined;
    return { outcome, ...(log && { log }) };
  }

  async #request(door: JournalDoor, request: RunRequest, begun?: Append): Promise<RequestOutcome> {
    const { event, blobs = [], idempotency } = request;
    const { parent } = event;
    const earlier = this.#earlier(request);
    if (earlier !== undefined) return earlier;
    if (!this.#isWanted(request))
      throw new UnavailableError(
        `run ${parent?.runId} has ended, or ${request.parentWorker} does not drive it any more`,
      );
    const key = idempotency && requestKey(idempotency);
    const asked = parent && parentKey(parent);
    const { runId = this.#options.newId() } = request;
    const fate = door.fate(runId);
    const write = (): void => {
      const events = [event, ...(begun?.events ?? [])];
      this.#runs.set(runId, {
        events: chained(runId, 0, genesis, events),
        row: begun?.row ?? queuedRow(event.notBefore),
      });
      this.#putBlobs([...blobs, ...(begun?.blobs ?? [])]);
      if (key !== undefined) this.#byKey.set(key, { runId, digest: idempotency?.digest ?? '' });
      if (asked !== undefined) this.#byParent.set(asked, runId);
      this.#options.onWritten(runId, 0, events);
    };
    if (fate === 'written' || fate === 'unheard') write();
    if (fate === 'late')
      door.afterwards(() => (this.#earlier(request) === undefined && this.#isWanted(request) ? write() : undefined));
    if (fate !== 'written') throw new UnavailableError('the answer of the database was lost');
    return { kind: 'created', runId };
  }

  /** The run of the same request before. */
  #earlier({ event: { parent }, idempotency }: RunRequest): RequestOutcome | undefined {
    if (!this.#options.isUnique) return undefined;
    const known = idempotency && this.#byKey.get(requestKey(idempotency));
    if (known !== undefined)
      return { kind: known.digest === idempotency?.digest ? 'existing' : 'key-reused', runId: known.runId };
    const child = parent && this.#byParent.get(parentKey(parent));
    return child === undefined ? undefined : { kind: 'existing', runId: child };
  }

  /** Whether the worker that asks for a child run drives the parent. */
  #isWanted({ event: { parent }, parentWorker }: RunRequest): boolean {
    if (parent === undefined || parentWorker === undefined) return true;
    const { status, worker } = this.row(parent.runId) ?? {};
    return status === 'running' && worker === parentWorker;
  }

  #write(log: MemoryLog, batch: readonly PendingCommit[], fate: AppendFate): void {
    const kept = this.#runs.get(log.runId);
    const isFirst = kept !== undefined && (kept.events.length === log.committed || !this.#options.isOptimistic);
    if (!isFirst) log.trouble ??= new ConflictError(log.runId);
    if (fate === 'lost') log.trouble ??= new UnavailableError('the commit was lost');
    for (const { events, row, blobs, state, resolve, reject } of batch) {
      if (log.trouble === undefined && kept !== undefined) log.trouble = this.state.write(log.runId, state);
      else if (!this.#options.isStateWithEvents) this.state.write(log.runId, state);
      if (log.trouble !== undefined || kept === undefined) {
        reject(log.trouble ?? new ConflictError(log.runId));
        continue;
      }
      const before = kept.events.length;
      kept.events.push(...events);
      kept.row = row ?? kept.row;
      this.#putBlobs(blobs);
      log.committed += events.length;
      this.#options.onWritten(
        log.runId,
        before,
        events.map(({ text }) => JSON.parse(text) as RunEvent),
      );
      if (fate === 'written') resolve();
      else reject(new UnavailableError('the answer of the database was lost'));
    }
    if (fate === 'unheard') log.trouble ??= new UnavailableError('the answer of the database was lost');
  }

  #putBlobs(blobs: readonly NewBlob[]): void {
    for (const { sha256, text } of blobs) this.#blobs.set(sha256, text);
  }
}

const requestKey = ({ scope, key }: NonNullable<RunRequest['idempotency']>): string => JSON.stringify([scope, key]);

const parentKey = ({ runId, path, attempt }: NonNullable<RunRequest['event']['parent']>): string =>
  JSON.stringify([runId, path, attempt]);

function linkOf(runId: string, seq: number, text: string): ChainLink {
  const { type, at, ...rest } = JSON.parse(text) as RunEvent;
  return { runId, seq, at, type, data: JSON.stringify(rest) };
}

function chained(runId: string, seq: number, head: string, events: readonly RunEvent[]): KeptEvent[] {
  return events.map((event, index) => {
    const text = JSON.stringify(event);
    head = linkHash(head, linkOf(runId, seq + index + 1, text));
    return { text, hash: head };
  });
}

/** One process's way in: what it appends within a commit is written together. */
class JournalDoor {
  readonly #options: Required<MemoryDoor>;
  readonly #write: (log: MemoryLog, batch: readonly PendingCommit[], fate: AppendFate) => void;
  #pending: PendingCommit[] = [];
  #isScheduled = false;

  constructor(
    options: Required<MemoryDoor>,
    write: (log: MemoryLog, batch: readonly PendingCommit[], fate: AppendFate) => void,
  ) {
    this.#options = options;
    this.#write = write;
  }

  fate(runId: string): AppendFate {
    return this.#options.fate(runId);
  }

  afterwards(commit: () => void): void {
    this.#options.afterwards(commit);
  }

  add(pending: PendingCommit): void {
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
    for (const [log, batch] of byLog) {
      const fate = this.#options.fate(log.runId);
      if (fate !== 'late' || log.trouble !== undefined) this.#write(log, batch, fate);
      else this.#writeLate(log, batch);
    }
  }

  #writeLate(log: MemoryLog, batch: readonly PendingCommit[]): void {
    log.trouble = new UnavailableError('the database did not answer in time');
    for (const { reject } of batch) reject(log.trouble);
    const { runId, committed } = log;
    this.#options.afterwards(() => {
      const silent = batch.map((pending) => ({ ...pending, resolve: () => undefined, reject: () => undefined }));
      this.#write(new MemoryLog(runId, committed, '', () => undefined), silent, 'written');
    });
  }
}

class MemoryLog implements RunLog {
  readonly runId: string;
  readonly #add: (pending: PendingCommit) => void;
  #seq: number;
  #head: string;
  committed: number;
  trouble: Error | undefined;

  constructor(runId: string, seq: number, head: string, add: (pending: PendingCommit) => void) {
    this.runId = runId;
    this.#seq = seq;
    this.#head = head;
    this.committed = seq;
    this.#add = add;
  }

  get seq(): number {
    return this.#seq;
  }

  flush(): void {
    // Whether a caller waits makes no difference here.
  }

  async append({ events, row, blobs = [], state }: Append): Promise<void> {
    if (this.trouble !== undefined) throw this.trouble;
    const kept = chained(this.runId, this.#seq, this.#head, events);
    this.#seq += events.length;
    this.#head = kept.at(-1)?.hash ?? this.#head;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#add({ log: this, events: kept, row, blobs, state, resolve, reject });
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
  tokens: 0,
  usd: 0,
});
