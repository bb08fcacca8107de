/** Reads journals from a position on. Concurrent reads share a statement. */
import { setImmediate as turn } from 'node:timers/promises';

import type { RunEvent } from '@baton/engine';
import { Batches, firstOf } from '@baton/primitives';

import type { AuditKeys } from '../database/auditKeys.ts';
import { asUnavailable } from '../database/databaseError.ts';
import type { PinnedConnection } from '../database/pinnedConnection.ts';
import { ints, uuids } from './binaryArray.ts';
import { genesis, linkHash } from './chain.ts';
import { parseEvent } from './eventText.ts';
import { withinBytes } from './withinBytes.ts';

/** The events of a journal from the requested position on. */
export interface JournalStretch {
  readonly events: readonly RunEvent[];
  /** Position and hash of the last event; undefined where there is none. */
  readonly head: JournalHead | undefined;
  /** Position of the first event whose hash does not follow from the event before it. */
  readonly brokenAt: number | undefined;
  /** Events without the mark of this installation, in order. */
  readonly unmarked: readonly JournalHead[];
}

interface JournalPart extends JournalStretch {
  /** There may be more events. */
  readonly isMore: boolean;
}

/** A position in a journal, and the hash of the event there, hexadecimal. */
export interface JournalHead {
  readonly seq: number;
  readonly hash: string;
}

interface ReadRequest {
  readonly runId: string;
  readonly from: number;
  /** Hash of the event before `from`, if it is known. */
  readonly before: string | undefined;
  readonly resolve: (part: JournalPart) => void;
  readonly reject: (error: Error) => void;
}

/** Runs in one statement, and events of each run in it; a longer journal, or a larger one, takes several statements. */
const runsMax = 256;
const eventsMax = 1_000;

const pages = `select w.n, e.seq, e.at, e.type, e.data, e.hash, e.mark
  from unnest($1::uuid[], $2::int[]) with ordinality as w(run_id, first, n)
  cross join lateral (
    select seq, at, type, data, hash, mark from run_event
    where run_id = w.run_id and seq >= w.first order by seq limit ${eventsMax}) as e`;

const text = `select n, seq, at, type, data, encode(hash, 'hex'), encode(mark, 'hex'), "isCut"
  from (${withinBytes(pages, 'n, seq')}) as e order by n, seq`;

export class Reader {
  readonly #connection: PinnedConnection;
  readonly #keys: AuditKeys;
  readonly #batches: Batches<ReadRequest>;

  constructor(connection: PinnedConnection, keys: AuditKeys) {
    this.#connection = connection;
    this.#keys = keys;
    this.#batches = new Batches<ReadRequest>({
      take: firstOf(runsMax),
      carryOut: (batch) => this.#read(batch),
      pause: () => turn(),
    });
  }

  /** Reads and checks all events from position `from` on. Rejects with `UnavailableError`. */
  async read(runId: string, from: number): Promise<JournalStretch> {
    const events: RunEvent[] = [];
    const unmarked: JournalHead[] = [];
    let head: JournalHead | undefined;
    let brokenAt: number | undefined;
    for (;;) {
      const before = from + events.length === 1 ? genesis : head?.hash;
      const part = await this.#next(runId, from + events.length, before);
      events.push(...part.events);
      unmarked.push(...part.unmarked);
      brokenAt ??= part.brokenAt;
      head = part.head ?? head;
      if (!part.isMore) return { events, head, brokenAt, unmarked };
    }
  }

  #next(runId: string, from: number, before: string | undefined): Promise<JournalPart> {
    const { promise, resolve, reject } = Promise.withResolvers<JournalPart>();
    this.#batches.add({ runId, from, before, resolve, reject });
    return promise;
  }

  async #read(batch: readonly ReadRequest[]): Promise<void> {
    try {
      const values = [uuids(batch.map(({ runId }) => runId)), ints(batch.map(({ from }) => from))];
      const { rows } = await this.#connection.query({ name: 'read', text, values });
      const byRequest = Map.groupBy(rows, ([n]) => Number(n));
      const last = rows.at(-1);
      const cutAt = last?.at(-1) === 't' ? Number(last[0]) : Infinity;
      for (const [index, request] of batch.entries()) {
        const n = index + 1;
        // Of these nothing was returned: they are read with the next batch.
        if (n > cutAt) this.#batches.add(request);
        else request.resolve(partOf(this.#keys, request, byRequest.get(n) ?? [], n === cutAt));
      }
    } catch (error) {
      for (const request of batch) request.reject(asUnavailable(error));
    }
  }
}

type EventRow = readonly (string | null)[];

/** Checks each event, which takes three hashes: some microseconds, about as long as parsing it. */
function partOf(
  keys: AuditKeys,
  { runId, from, before }: ReadRequest,
  rows: readonly EventRow[],
  isCut: boolean,
): JournalPart {
  const events: RunEvent[] = [];
  const unmarked: JournalHead[] = [];
  let brokenAt: number | undefined;
  let head: JournalHead | undefined;
  for (const [, position, at, type, data, stored, mark] of rows) {
    const seq = from + events.length;
    const link = { runId, seq, at: Number(at), type: type ?? '', data: data ?? '{}' };
    const hash = stored ?? '';
    const last: string | undefined = head?.hash ?? before;
    if (last !== undefined && linkHash(last, link) !== hash) brokenAt ??= seq;
    if (mark !== keys.mark(hash)) unmarked.push({ seq, hash });
    events.push(parseEvent(link.type, link.at, link.data));
    head = { seq: Number(position), hash };
  }
  return { events, head, brokenAt, unmarked, isMore: isCut || events.length === eventsMax };
}
