/**
 * Sends events live as server-sent events: each event once, in order, until the last one if there is a last one.
 *
 * Each reader pulls its own pages, so nothing piles up for a slow one. A reader that takes nothing for too long is cut
 * off. A client that loses the stream resumes with the id of the last event that it received.
 */
import type { ServerResponse } from 'node:http';

import type { EventPage } from '@baton/control';
import { Latch } from '@baton/primitives';
import type { Clock } from '@baton/runner';

import { whenClosed } from './whenClosed.ts';

export const sseLimits = {
  /** The interval of heartbeats. */
  heartbeatMs: 15_000,
  /** How long a reader may take nothing. */
  patienceMs: 20_000,
  /** The reconnection delay for readers. */
  retryMs: 1_000,
} as const;

export interface StreamOptions<Position> {
  /** The position after which to send. */
  readonly after: Position;
  /** No more events can follow. */
  readonly isOver: boolean;
  /** The events that follow a position now. Rejects with `UnavailableError`. */
  readonly read: (after: Position) => Promise<EventPage<Position>>;
  /** `onGrown` is called when there may be more, until the returned function is. */
  readonly watch: (onGrown: () => void) => () => void;
  readonly clock: Clock;
  /** Aborted when the process stops. */
  readonly stopping: AbortSignal;
  /** Called when the reader took nothing for too long. */
  readonly onCut: () => void;
  /** Asked before each page and at every heartbeat; on false the stream ends. Rejects with `UnavailableError`. */
  readonly shouldContinue: () => Promise<boolean>;
}

/** Resolves when the stream has ended for any reason. Rejects with `UnavailableError` after it has cut the stream. */
export async function streamEvents<Position>(
  response: ServerResponse,
  options: StreamOptions<Position>,
): Promise<void> {
  const stream = new Stream(response, options);
  try {
    await stream.run();
  } finally {
    stream.close();
  }
}

class Stream<Position> {
  readonly #response: ServerResponse;
  readonly #options: StreamOptions<Position>;
  readonly #latch = new Latch();
  readonly #undo: (() => void)[] = [];
  #isGone = false;
  #isBeatDue = false;

  constructor(response: ServerResponse, options: StreamOptions<Position>) {
    this.#response = response;
    this.#options = options;
    const { watch, stopping } = options;
    const leave = (): void => {
      this.#isGone = true;
      this.#latch.raise();
    };
    whenClosed(response, leave);
    stopping.addEventListener('abort', leave, { once: true });
    this.#undo.push(
      () => stopping.removeEventListener('abort', leave),
      watch(() => this.#latch.raise()),
    );
    if (stopping.aborted) leave();
  }

  async run(): Promise<void> {
    const { read, isOver } = this.#options;
    let { after } = this.#options;
    await this.#write(`retry: ${sseLimits.retryMs}\n\n`);
    this.#startHeart();
    while (!this.#isGone) {
      // Also checked while events flow: the stream must not outlive its key.
      if (this.#isBeatDue && !(await this.#beat())) return;
      const page = await read(after);
      if (page.next === after) {
        if (isOver) return;
        await this.#latch.wait();
        continue;
      }
      // A client whose key or session has ended gets no more events.
      if (!(await this.#options.shouldContinue())) return;
      after = page.next;
      await this.#write(page.text);
      if (page.isLast) return;
    }
  }

  close(): void {
    for (const undo of this.#undo) undo();
    this.#response.end();
  }

  #startHeart(): void {
    let cancel = (): void => undefined;
    const schedule = (): void => {
      cancel = this.#options.clock.after(sseLimits.heartbeatMs, () => {
        this.#isBeatDue = true;
        this.#latch.raise();
        schedule();
      });
    };
    schedule();
    this.#undo.push(() => cancel());
  }

  async #beat(): Promise<boolean> {
    this.#isBeatDue = false;
    if (!(await this.#options.shouldContinue())) return false;
    await this.#write(':\n\n');
    return true;
  }

  /** Resolves when the reader can take more. */
  async #write(text: string): Promise<void> {
    const response = this.#response;
    if (this.#isGone || response.write(text)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(sseLimits.patienceMs, () => {
      this.#options.onCut();
      response.destroy();
    });
    response.once('drain', resolve);
    response.once('close', resolve);
    await promise;
    cancel();
    response.off('drain', resolve);
    response.off('close', resolve);
  }
}
