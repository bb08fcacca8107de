/** Journals, page by page. Readers that stand at the same position of the same run share one reading of it. */
import { setImmediate as turn } from 'node:timers/promises';

import type { Store } from '@baton/store';
import { readPage } from '@baton/store';

const pageEvents = 200;

/** A stretch of a journal as server-sent events. */
export interface Page {
  readonly text: string;
  /** Position of its last event; of the reader where there is none. */
  readonly seq: number;
  /** The run's last event is in it. */
  readonly isLast: boolean;
}

export class Pages {
  readonly #store: Store;
  readonly #reading = new Map<string, Promise<Page>>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** What follows after position `after`, as of now. Rejects with `UnavailableError`. */
  read(runId: string, after: number): Promise<Page> {
    const key = `${runId} ${after}`;
    const reading = this.#reading.get(key) ?? this.#read(key, runId, after);
    this.#reading.set(key, reading);
    return reading;
  }

  /** Those whom the same hint woke come in the same turn; whoever comes later may know of more, and asks again. */
  async #read(key: string, runId: string, after: number): Promise<Page> {
    await turn();
    this.#reading.delete(key);
    const events = await readPage(this.#store, runId, { after, limit: pageEvents });
    const last = events.at(-1);
    return {
      text: events.map(({ seq, event }) => `id: ${seq}\ndata: ${JSON.stringify({ seq, ...event })}\n\n`).join(''),
      seq: last?.seq ?? after,
      isLast: last?.event.type === 'run.finished',
    };
  }
}
