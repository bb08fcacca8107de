/**
 * Reads the events of all runs, for clients that follow all of them. Hints announce new events; a periodic poll finds
 * those whose hints were lost. All events have one order, and readers at the same position share a read.
 */
import type { RunEvent } from '@baton/engine';
import type { Bus, Clock } from '@baton/runner';
import { type FeedEvent, type FeedPosition, type Store, readFeed } from '@baton/store';

import { type EventPage, SharedReads, sseOf } from './pages.ts';
import type { PositionSeal } from './positionSeal.ts';

const pageEvents = 200;
/** The delay after a hint, so that events that come together are sent together. */
const soonMs = 50;
/** The hinted events may wait for a transaction that began earlier. */
const againMs = 250;
/** The interval without hints. */
const everyMs = 2_000;

/** The event as clients see it. */
export const shownEvent = ({ runId, workflow, seq, event }: FeedEvent, shown: FeedView['shown']) => ({
  runId,
  workflow,
  seq,
  ...shown(event, workflow),
});

/** What a reader sees of the events. */
export interface FeedView {
  readonly isShown: (workflow: string) => boolean;
  readonly shown: (event: RunEvent, workflow: string) => RunEvent;
}

export interface FeedOptions {
  readonly store: Pick<Store, 'pool'>;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly seal: PositionSeal;
}

export class Feed {
  readonly seal: PositionSeal;
  readonly #options: FeedOptions;
  readonly #shared = new SharedReads<Awaited<ReturnType<typeof readFeed>>>();
  readonly #listeners = new Set<() => void>();
  readonly #unsubscribe: () => void;
  #cancelTimer: (() => void) | undefined;
  #isHinted = false;

  constructor(options: FeedOptions) {
    this.#options = options;
    this.seal = options.seal;
    this.#unsubscribe = options.bus.subscribe(() => {
      if (this.#isHinted || this.#listeners.size === 0) return;
      this.#isHinted = true;
      this.#schedule(soonMs);
    });
  }

  /** `onGrown` is called when there may be more, until the returned function is. */
  watch(onGrown: () => void): () => void {
    const own = (): void => onGrown();
    this.#listeners.add(own);
    if (this.#cancelTimer === undefined) this.#schedule(everyMs);
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size === 0) this.#rest();
    };
  }

  /** Rejects with `UnavailableError`. */
  async read(after: FeedPosition, { isShown, shown: view }: FeedView): Promise<EventPage<FeedPosition>> {
    const { seal } = this;
    const { store } = this.#options;
    const { events } = await this.#shared.read(after, () => readFeed(store, { after, limit: pageEvents }));
    const shown = events.filter(({ workflow }) => isShown(workflow));
    const next = events.at(-1)?.position ?? after;
    // A reader that may see none of the events still moves on, so that it can resume from here after a break.
    const mark = shown.at(-1)?.position === next || next === after ? '' : `id: ${seal.seal(next)}\n\n`;
    const text = shown.map((one) => sseOf(seal.seal(one.position), shownEvent(one, view))).join('') + mark;
    return { text, next, isLast: false };
  }

  close(): void {
    this.#unsubscribe();
    this.#rest();
  }

  #rest(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#isHinted = false;
  }

  #schedule(ms: number): void {
    this.#cancelTimer?.();
    this.#cancelTimer = this.#options.clock.after(ms, () => {
      const wasHinted = this.#isHinted;
      this.#isHinted = false;
      this.#schedule(wasHinted ? againMs : everyMs);
      for (const listener of this.#listeners) listener();
    });
  }
}
