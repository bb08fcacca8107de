/** Journals, read from a position on. Concurrent readers share a statement, as writers do. */
import type { RunEvent } from '@baton/engine';
import { Batches, firstOf } from '@baton/primitives';

import { asUnavailable } from '../database/databaseError.ts';
import type { PinnedConnection } from '../database/pinnedConnection.ts';
import { ints, uuids } from './binaryArray.ts';
import { parseEvent } from './eventText.ts';

/** A stretch of a journal that begins at the position asked for. */
export interface JournalStretch {
  readonly events: readonly RunEvent[];
  /** Of the last of them, hexadecimal. */
  readonly hash: string | undefined;
}

interface Request {
  readonly runId: string;
  readonly from: number;
  readonly resolve: (stretch: JournalStretch) => void;
  readonly reject: (error: Error) => void;
}

/** Runs in one statement, and events of one run in it; who has more asks again. */
const mostRuns = 256;
const mostEvents = 1_000;

const text = `select w.n, e.at, e.type, e.data, e.hash
  from unnest($1::uuid[], $2::int[]) with ordinality as w(run_id, first, n)
  cross join lateral (
    select seq, at, type, data, hash from run_event
    where run_id = w.run_id and seq >= w.first order by seq limit ${mostEvents}) as e
  order by w.n, e.seq`;

export class Reader {
  readonly #connection: PinnedConnection;
  readonly #batches: Batches<Request>;

  constructor(connection: PinnedConnection) {
    this.#connection = connection;
    this.#batches = new Batches<Request>({ take: firstOf(mostRuns), carryOut: (batch) => this.#read(batch) });
  }

  /** All events at position `from` and after. Rejects with `UnavailableError`. */
  async read(runId: string, from: number): Promise<JournalStretch> {
    const events: RunEvent[] = [];
    let hash: string | undefined;
    for (;;) {
      const stretch = await this.#next(runId, from + events.length);
      events.push(...stretch.events);
      hash = stretch.hash ?? hash;
      if (stretch.events.length < mostEvents) return { events, hash };
    }
  }

  #next(runId: string, from: number): Promise<JournalStretch> {
    const { promise, resolve, reject } = Promise.withResolvers<JournalStretch>();
    this.#batches.add({ runId, from, resolve, reject });
    return promise;
  }

  async #read(batch: readonly Request[]): Promise<void> {
    try {
      const values = [uuids(batch.map(({ runId }) => runId)), ints(batch.map(({ from }) => from))];
      const { rows } = await this.#connection.query({ name: 'read', text, values });
      const byRequest = Map.groupBy(rows, ([n]) => Number(n));
      for (const [index, request] of batch.entries()) request.resolve(stretchOf(byRequest.get(index + 1) ?? []));
    } catch (error) {
      for (const request of batch) request.reject(asUnavailable(error));
    }
  }
}

function stretchOf(rows: readonly (readonly (string | null)[])[]): JournalStretch {
  const events = rows.map(([, at, type, data]) => parseEvent(type ?? '', Number(at), data ?? '{}'));
  // bytea comes as \x and hexadecimal digits.
  return { events, hash: rows.at(-1)?.[4]?.slice(2) };
}
