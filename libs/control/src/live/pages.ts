/** Shares reads: readers at the same position share one read. */
import { setImmediate as turn } from 'node:timers/promises';

import type { RunEvent } from '@baton/engine';
import { type Store, readPage } from '@baton/store';

const pageEvents = 200;

/** A stretch of events as server-sent events. */
export interface EventPage<Position> {
  readonly text: string;
  /** The position after the last event; the reader's own position if there are no more events. */
  readonly next: Position;
  /** No event can follow. */
  readonly isLast: boolean;
}

export class SharedReads<Read> {
  readonly #reading = new Map<string, Promise<Read>>();

  /** Readers that one hint woke arrive in the same turn; a later reader may know of more events, and reads again. */
  read(key: string, read: () => Promise<Read>): Promise<Read> {
    const reading = this.#reading.get(key) ?? this.#begin(key, read);
    this.#reading.set(key, reading);
    return reading;
  }

  async #begin(key: string, read: () => Promise<Read>): Promise<Read> {
    await turn();
    this.#reading.delete(key);
    return read();
  }
}

/** What of an event is shown, where that is not all. */
type ShownEvent = (event: RunEvent) => RunEvent;

/** Reads journals page by page. */
export class JournalPages {
  readonly #store: Store;
  readonly #shared = new SharedReads<EventPage<number>>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Reads what follows position `after` now; all `shown` are the same. Rejects with `UnavailableError`. */
  read(runId: string, after: number, shown?: ShownEvent): Promise<EventPage<number>> {
    return this.#shared.read(`${runId} ${after} ${shown === undefined ? '' : 'hidden'}`, async () => {
      const { events } = await readPage(this.#store, runId, { after, limit: pageEvents });
      const last = events.at(-1);
      return {
        text: events.map(({ seq, event }) => sseOf(String(seq), { seq, ...(shown?.(event) ?? event) })).join(''),
        next: last?.seq ?? after,
        isLast: last?.event.type === 'run.finished',
      };
    });
  }
}

export const sseOf = (id: string, data: object): string => `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
