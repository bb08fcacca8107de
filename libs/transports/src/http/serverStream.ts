/**
 * The stream for what a server sends by itself (MCP 2025-03-26 until 2025-11-25, listening for messages from the
 * server): a GET, opened again when it ends. A server that answers with anything but a stream has none, and is not asked
 * again.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { backoffMs } from '@baton/primitives';

import type { HttpAnswer } from './answer.ts';
import { isRefusal, StatusError } from './httpFailure.ts';
import { isEventStream, readEvents } from './readEvents.ts';
import { ReopeningPauses } from './reopening.ts';

export interface ServerStreamOptions {
  /** `lastEventId`: the event after which the stream continues. */
  readonly open: (lastEventId: string | undefined) => Promise<HttpAnswer>;
  readonly take: (text: string) => void;
  /** Called when the server could not be reached several times. */
  readonly onSuspect: () => void;
  readonly signal: AbortSignal;
}

const usualMs = 1_000;
/** After so many failures in a row the server may be gone; it is tried again after a long pause. */
const failuresMax = 4;
const longMs = 30_000;

export class ServerStream {
  readonly #options: ServerStreamOptions;
  readonly #pauses = new ReopeningPauses();
  #lastEventId: string | undefined;
  #hadStream = false;
  #retryMs = usualMs;
  #failures = 0;

  constructor(options: ServerStreamOptions) {
    this.#options = options;
  }

  /** Resolves when the signal is aborted, or the server has no such stream. */
  async follow(): Promise<void> {
    const { signal } = this.#options;
    while (!signal.aborted) {
      try {
        if (!(await this.#readOne())) return;
        this.#failures = 0;
      } catch (error) {
        if (signal.aborted || isRefusal(error)) return;
        this.#failures += 1;
      }
      await sleep(this.#pauseMs(), undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** Reads one stream to its end. False: the server has none. Rejects if the server could not serve it just now. */
  async #readOne(): Promise<boolean> {
    const { open, take, onSuspect } = this.#options;
    const answer = await open(this.#lastEventId);
    if (!answer.ok || !isEventStream(answer)) {
      await answer.body.cancel();
      const { status } = answer;
      if (outages.has(status) || (this.#hadStream && status >= 500)) throw new StatusError(status, '');
      // The server may have forgotten the session, and the stream with it.
      if (this.#hadStream) onSuspect();
      return false;
    }
    this.#failures = 0;
    this.#hadStream = true;
    await readEvents(answer, {
      onEvent: ({ id, data }) => {
        this.#lastEventId = id ?? this.#lastEventId;
        if (data === '') return;
        this.#pauses.heard();
        take(data);
      },
      onRetry: (ms) => {
        this.#retryMs = ms;
      },
    });
    return true;
  }

  #pauseMs(): number {
    const limits = { firstMs: this.#retryMs, longestMs: Infinity };
    if (this.#failures < failuresMax) return this.#pauses.next(backoffMs(this.#failures + 1, limits));
    this.#failures = 0;
    this.#options.onSuspect();
    return longMs;
  }
}

/** Statuses that say nothing of whether there is a stream. */
const outages: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504]);
