/** Reads journals from a position on. Concurrent readers share a statement, as writers do. */
import { setImmediate as turn } from 'node:timers/promises';

import type { RunEvent } from '@baton/engine';
import { Batches, firstOf } from '@baton/primitives';

import type { AuditKeys } from '../audit/auditKeys.ts';
import { asUnavailable } from '../database/databaseError.ts';
import type { PinnedConnection } from '../database/pinnedConnection.ts';
import { ints, uuids } from './binaryArray.ts';
import { genesis, linkHash } from './chain.ts';
import { parseEvent } from './eventText.ts';

/** A stretch of a journal that begins at the position asked for. */
export interface JournalStretch {
  readonly events: readonly RunEvent[];
  /** Of the last of them; undefined where there is none. */
  readonly head: JournalHead | undefined;
  /** The first event that does not follow from the one before it. */
  readonly brokenAt: number | undefined;
  /** Events without the mark of this installation, in order. */
  readonly unmarked: readonly JournalHead[];
}

/** A position in a journal, and the hash of the event there, hexadecimal. */
export interface JournalHead {
  readonly seq: number;
  readonly hash: string;
}

interface Request {
  readonly runId: string;
  readonly from: number;
  /** Hash of the event before, where it is known. */
  readonly before: string | undefined;
  readonly resolve: (stretch: JournalStretch) => void;
  readonly reject: (error: Error) => void;
}

/** Runs in one statement, and events of one run in it; who has more asks again. */
const mostRuns = 256;
const mostEvents = 1_000;

const text = `select w.n, e.seq, e.at, e.type, e.data, e.hash, e.mark
  from unnest($1::uuid[], $2::int[]) with ordinality as w(run_id, first, n)
  cross join lateral (
    select seq, at, type, data, hash, mark from run_event
    where run_id = w.run_id and seq >= w.first order by seq limit ${mostEvents}) as e
  order by w.n, e.seq`;

export class Reader {
  readonly #connection: PinnedConnection;
  readonly #keys: AuditKeys;
  readonly #batches: Batches<Request>;

  constructor(connection: PinnedConnection, keys: AuditKeys) {
    this.#connection = connection;
    this.#keys = keys;
    this.#batches = new Batches<Request>({
      take: firstOf(mostRuns),
      carryOut: (batch) => this.#read(batch),
      pause: () => turn(),
    });
  }

  /** All events at position `from` and after, held to their hashes and marks. Rejects with `UnavailableError`. */
  async read(runId: string, from: number): Promise<JournalStretch> {
    const events: RunEvent[] = [];
    const unmarked: JournalHead[] = [];
    let head: JournalHead | undefined;
    let brokenAt: number | undefined;
    for (;;) {
      const before = from + events.length === 1 ? genesis : head?.hash;
      const stretch = await this.#next(runId, from + events.length, before);
      events.push(...stretch.events);
      unmarked.push(...stretch.unmarked);
      brokenAt ??= stretch.brokenAt;
      head = stretch.head ?? head;
      if (stretch.events.length < mostEvents) return { events, head, brokenAt, unmarked };
    }
  }

  #next(runId: string, from: number, before: string | undefined): Promise<JournalStretch> {
    const { promise, resolve, reject } = Promise.withResolvers<JournalStretch>();
    this.#batches.add({ runId, from, before, resolve, reject });
    return promise;
  }

  async #read(batch: readonly Request[]): Promise<void> {
    try {
      const values = [uuids(batch.map(({ runId }) => runId)), ints(batch.map(({ from }) => from))];
      const { rows } = await this.#connection.query({ name: 'read', text, values });
      const byRequest = Map.groupBy(rows, ([n]) => Number(n));
      for (const [index, request] of batch.entries())
        request.resolve(stretchOf(this.#keys, request, byRequest.get(index + 1) ?? []));
    } catch (error) {
      for (const request of batch) request.reject(asUnavailable(error));
    }
  }
}

type EventRow = readonly (string | null)[];

/**
 * Three hashes for each event take about as long as parsing it does: some microseconds, where a step takes
 * milliseconds.
 */
function stretchOf(keys: AuditKeys, { runId, from, before }: Request, rows: readonly EventRow[]): JournalStretch {
  const events: RunEvent[] = [];
  const unmarked: JournalHead[] = [];
  let brokenAt: number | undefined;
  let head: JournalHead | undefined;
  for (const [, position, at, type, data, stored, mark] of rows) {
    const seq = from + events.length;
    const link = { runId, seq, at: Number(at), type: type ?? '', data: data ?? '{}' };
    // bytea comes as \x and hexadecimal digits.
    const hash = stored?.slice(2) ?? '';
    const last: string | undefined = head?.hash ?? before;
    if (last !== undefined && linkHash(last, link) !== hash) brokenAt ??= seq;
    if (mark?.slice(2) !== keys.mark(hash)) unmarked.push({ seq, hash });
    events.push(parseEvent(link.type, link.at, link.data));
    head = { seq: Number(position), hash };
  }
  return { events, head, brokenAt, unmarked };
}
