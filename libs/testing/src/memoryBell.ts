/** A bell within one process, for tests and the simulation: may be told to lose and double rings. */
import { type Bell, type BellListener, type Clock, type BellHandler, type Ring, systemClock } from '@baton/runner';

export interface MemoryBellOptions {
  readonly clock?: Clock;
  /** How often a ring arrives: 0 loses it, 2 doubles it. Default: once. */
  readonly fate?: (ring: Ring) => number;
}

interface Listener {
  readonly onBell: BellHandler;
  readonly concurrency: number;
  readonly answering: Map<Ring, { readonly lost: AbortController; readonly ended: Promise<void> }>;
  isOpen: boolean;
}

export class MemoryBell implements Bell {
  readonly #clock: Clock;
  readonly #fate: (ring: Ring) => number;
  readonly #listeners: Listener[] = [];
  #waiting: Ring[] = [];

  constructor({ clock = systemClock, fate = () => 1 }: MemoryBellOptions = {}) {
    this.#clock = clock;
    this.#fate = fate;
  }

  /** Rings that no worker has taken yet. */
  get waiting(): readonly Ring[] {
    return this.#waiting;
  }

  async ring(rings: readonly Ring[]): Promise<void> {
    for (const ring of rings) {
      for (let times = this.#fate(ring); times > 0; times -= 1) {
        if ((ring.delayMs ?? 0) > 0) this.#clock.after(ring.delayMs ?? 0, () => this.#put({ ...ring }));
        else this.#put({ ...ring });
      }
    }
  }

  listen(onBell: BellHandler, { concurrency }: { readonly concurrency: number }): BellListener {
    const listener: Listener = { onBell, concurrency, answering: new Map(), isOpen: true };
    this.#listeners.push(listener);
    this.#deliver();
    return { close: (graceMs) => this.#dismiss(listener, graceMs) };
  }

  /** What emptying the queue does. */
  empty(): void {
    this.#waiting = [];
  }

  async close(): Promise<void> {
    this.empty();
  }

  #put(ring: Ring): void {
    const isAhead = (other: Ring): boolean => (other.priority ?? 0) <= (ring.priority ?? 0);
    this.#waiting.splice(this.#waiting.findLastIndex(isAhead) + 1, 0, ring);
    queueMicrotask(() => this.#deliver());
  }

  #deliver(): void {
    for (const listener of this.#listeners) {
      while (listener.isOpen && listener.answering.size < listener.concurrency) {
        const ring = this.#waiting.shift();
        if (ring === undefined) return;
        this.#answer(listener, ring);
      }
    }
  }

  #answer(listener: Listener, ring: Ring): void {
    const lost = new AbortController();
    const over = (): void => {
      listener.answering.delete(ring);
      this.#deliver();
    };
    // As in the real queue: an answer that fails is over, and the journal says what follows.
    const ended = listener.onBell(ring.runId, lost.signal).then(over, over);
    listener.answering.set(ring, { lost, ended });
  }

  async #dismiss(listener: Listener, graceMs: number): Promise<void> {
    listener.isOpen = false;
    const isOver = Promise.withResolvers<void>();
    const cancel = this.#clock.after(graceMs, isOver.resolve);
    void Promise.all([...listener.answering.values()].map(({ ended }) => ended)).then(() => isOver.resolve());
    await isOver.promise;
    cancel();
    this.#listeners.splice(this.#listeners.indexOf(listener), 1);
    for (const [ring, { lost }] of listener.answering) {
      lost.abort('the worker is leaving');
      this.#put({ ...ring });
    }
  }
}
