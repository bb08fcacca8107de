/** Implements `Journal` of libs/runner over Postgres. */
import { type RunEvent, invariant } from '@baton/engine';
import type { Append, Journal, JournalForgery, OpenRun, RunLog } from '@baton/runner';

import type { AuditKeys } from '../database/auditKeys.ts';
import { isRunId } from '../database/runId.ts';
import type { HashedEvent } from './appendStatement.ts';
import { genesis, linkHash } from './chain.ts';
import { eventText } from './eventText.ts';
import { costsIn } from './modelCosts.ts';
import type { AppendSession } from './pendingAppend.ts';
import type { JournalHead, JournalStretch, Reader } from './readEvents.ts';
import { type UsageCount, writesIn } from './usage.ts';
import type { Writer } from './writer.ts';

/** Finds the first event of a journal that should have a mark and has none. Rejects with `UnavailableError`. */
interface MarkSearch {
  firstForged(runId: string, stretch: JournalStretch): Promise<JournalHead | undefined>;
}

export class PostgresJournal implements Journal {
  readonly #reader: Reader;
  readonly #writer: Writer;
  readonly #keys: AuditKeys;
  readonly #marks: MarkSearch;
  readonly #count: UsageCount;

  constructor(reader: Reader, writer: Writer, keys: AuditKeys, marks: MarkSearch, count: UsageCount) {
    this.#reader = reader;
    this.#writer = writer;
    this.#keys = keys;
    this.#marks = marks;
    this.#count = count;
  }

  async open(runId: string, after = 0): Promise<OpenRun | undefined> {
    if (!isRunId(runId)) return undefined;
    const id = runId.toLowerCase();
    // Reads at least one event: the next append is chained to the hash of the last one.
    const stretch = await this.#reader.read(id, Math.max(after, 1));
    const { events, head } = stretch;
    if (head === undefined) return undefined;
    const forgery = await this.#forgeryIn(id, stretch);
    return {
      events: after > 0 ? events.slice(1) : events,
      log: this.logAfter(id, head),
      ...(forgery && { forgery }),
    };
  }

  /** The log of a run whose journal ends with `head`, known without a read: this process has just written it. */
  logAfter(runId: string, head: JournalHead): RunLog {
    return new JournalLog(this.#writer, this.#keys, this.#count, { runId, head });
  }

  async #forgeryIn(runId: string, stretch: JournalStretch): Promise<JournalForgery | undefined> {
    const forged = await this.#marks.firstForged(runId, stretch);
    const { brokenAt } = stretch;
    if (brokenAt !== undefined && brokenAt <= (forged?.seq ?? Infinity))
      return { seq: brokenAt, message: 'It does not match its hash.' };
    return forged && { seq: forged.seq, message: 'It does not have the mark of this installation.' };
  }
}

interface LogPlace {
  readonly runId: string;
  readonly head: JournalHead;
}

class JournalLog implements RunLog, AppendSession {
  readonly runId: string;
  readonly #writer: Writer;
  readonly #keys: AuditKeys;
  readonly #count: UsageCount;
  #seq: number;
  #hash: string;
  error: Error | undefined;

  constructor(writer: Writer, keys: AuditKeys, count: UsageCount, { runId, head }: LogPlace) {
    this.runId = runId;
    this.#writer = writer;
    this.#keys = keys;
    this.#count = count;
    this.#seq = head.seq;
    this.#hash = head.hash;
  }

  get seq(): number {
    return this.#seq;
  }

  flush(): void {
    this.#writer.flush();
  }

  async append({ events, row, blobs = [], state, mayWait = false }: Append): Promise<void> {
    invariant(events.length > 0, 'an append holds an event');
    if (this.error !== undefined) throw this.error;
    const hashed = this.#chain(events);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const bytes = sizeOf(hashed) + blobs.reduce((sum, { text }) => sum + text.length, 0);
    const { runId } = this;
    const found = {
      takenEnds: endsIn(events),
      costs: costsIn(runId, events),
      writes: this.#count.isOn ? writesIn(runId, events) : [],
    };
    this.#writer.add(
      { owner: this, runId, events: hashed, row, blobs, state, ...found, bytes, resolve, reject },
      mayWait,
    );
    await promise;
  }

  /** Advances the head only if all events can be stored. */
  #chain(events: readonly RunEvent[]): HashedEvent[] {
    const hashed = chained(this.#keys, this.runId, { seq: this.#seq, hash: this.#hash }, events);
    this.#seq += hashed.length;
    this.#hash = hashed.at(-1)?.hash ?? this.#hash;
    return hashed;
  }
}

function hashedEvent(keys: AuditKeys, runId: string, before: JournalHead, event: RunEvent): HashedEvent {
  const seq = before.seq + 1;
  const link = { runId, seq, at: Math.round(event.at), type: event.type, data: eventText(event) };
  const hash = linkHash(before.hash, link);
  return { ...link, hash, mark: keys.mark(hash) };
}

/** Hashes and marks events that follow the event `after`. */
export function chained(
  keys: AuditKeys,
  runId: string,
  after: JournalHead,
  events: readonly RunEvent[],
): HashedEvent[] {
  let head = after;
  return events.map((event) => {
    const one = hashedEvent(keys, runId, head, event);
    head = one;
    return one;
  });
}

/** Hashes and marks the first event of a journal. */
export const firstEvent = (keys: AuditKeys, runId: string, event: RunEvent): HashedEvent =>
  hashedEvent(keys, runId, { seq: 0, hash: genesis }, event);

/** Where there was no child, its end has no id. */
const endsIn = (events: readonly RunEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'child.finished' && isRunId(event.runId) ? [event.runId] : []));

const sizeOf = (events: readonly HashedEvent[]): number => events.reduce((sum, { data }) => sum + data.length, 0);
