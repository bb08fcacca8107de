/**
 * A run's journal as it grows: every event once, in order, across as many connections as it takes.
 * A cut is made good with `Last-Event-ID`; only when nothing can be reached for long does it give up.
 */
import { setTimeout as delay } from 'node:timers/promises';

import type { RunEvent } from '@baton/engine';

import type { Client } from './client.ts';
import { ProblemError, UnreachableError } from './problem.ts';
import { readSse } from './sse.ts';

/** An event where it stands in the journal, from 1. */
export interface Followed {
  readonly seq: number;
  readonly event: RunEvent;
}

export interface FollowOptions {
  /** Only what comes after this position. */
  readonly after?: number;
  readonly signal?: AbortSignal;
  /** How the connection is. `clockAheadMs`: by how much the server's clock runs ahead of ours. */
  readonly onConnection?: (connection: Connection) => void;
}

export type Connection =
  | { readonly state: 'open'; readonly clockAheadMs: number }
  /** It broke; another is tried in `retryMs`. */
  | { readonly state: 'cut'; readonly retryMs: number };

/** Without a sign for so long a connection counts as dead; a stream that is idle sends comments. */
const silenceMs = 60_000;
const firstRetryMs = 250;
const longestRetryMs = 5_000;
/** So long it is tried after a cut. */
const patienceMs = 120_000;

/** Ends after `run.finished`. Rejects with `ProblemError`, `UnreachableError`, or the reason of a signal. */
export async function* followRun(client: Client, runId: string, options: FollowOptions = {}): AsyncGenerator<Followed> {
  const following = new Following(client, runId, options);
  for (;;) {
    try {
      for await (const followed of following.connection()) {
        yield followed;
        if (followed.event.type === 'run.finished') return;
      }
      await following.pause(new Error('the stream ended before the run did'));
    } catch (error) {
      await following.pause(error);
    }
  }
}

const bodyOf = (response: Response): AsyncIterable<Uint8Array> => response.body ?? new ReadableStream<Uint8Array>();

class Following {
  readonly #client: Client;
  readonly #path: string;
  readonly #options: FollowOptions;
  #seq: number;
  #wasOpen = false;
  /** When the connection was lost; undefined while it is there. */
  #lostAt: number | undefined;
  /** After the next cut; the server may ask for more patience. */
  #firstRetryMs = firstRetryMs;
  #retryMs = firstRetryMs;

  constructor(client: Client, runId: string, options: FollowOptions) {
    this.#client = client;
    this.#path = `/v1/runs/${encodeURIComponent(runId)}/events`;
    this.#options = options;
    this.#seq = options.after ?? 0;
  }

  /** One connection, from where the last one ended. */
  async *connection(): AsyncGenerator<Followed> {
    const silence = new AbortController();
    const silent = (): void => silence.abort(new Error('the stream fell silent'));
    let timer = setTimeout(silent, silenceMs);
    try {
      const { signal } = this.#options;
      const response = await this.#client.open(this.#path, {
        headers: {
          accept: 'text/event-stream',
          ...(this.#seq === 0 ? {} : { 'last-event-id': String(this.#seq) }),
        },
        signal: signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]),
      });
      this.#opened(response);
      const onSign = (): void => {
        clearTimeout(timer);
        timer = setTimeout(silent, silenceMs);
      };
      const onRetry = (ms: number): void => void (this.#firstRetryMs = Math.min(ms, longestRetryMs));
      for await (const { id, data } of readSse(bodyOf(response), { onSign, onRetry })) {
        const followed = this.#read(id, data);
        if (followed !== undefined) yield followed;
      }
    } finally {
      clearTimeout(timer);
      silence.abort();
    }
  }

  #opened(response: Response): void {
    const type = response.headers.get('content-type') ?? '';
    if (!type.startsWith('text/event-stream')) {
      throw new ProblemError(`GET ${this.#path}`, 502, {
        detail: `The events of the run came as ${type.slice(0, 80)}.`,
      });
    }
    const date = Date.parse(response.headers.get('date') ?? '');
    const aheadMs = Number.isNaN(date) ? 0 : date - Date.now();
    // The header counts whole seconds: less than that says nothing.
    this.#options.onConnection?.({ state: 'open', clockAheadMs: Math.abs(aheadMs) < 2_000 ? 0 : aheadMs });
    this.#wasOpen = true;
  }

  /** Undefined for what was read before. */
  #read(id: string | undefined, data: string): Followed | undefined {
    const seq = Number(id);
    if (!Number.isInteger(seq) || seq <= this.#seq) return undefined;
    if (seq > this.#seq + 1) throw new Error(`event ${this.#seq + 1} is missing`);
    const event = JSON.parse(data) as RunEvent;
    this.#seq = seq;
    this.#lostAt = undefined;
    this.#retryMs = this.#firstRetryMs;
    return { seq, event };
  }

  /** Waits until it is time for the next connection; throws where there is no use in one. */
  async pause(error: unknown): Promise<void> {
    this.#options.signal?.throwIfAborted();
    const isRefusal = error instanceof ProblemError && error.retryAfterMs === undefined && error.status < 500;
    if (!this.#wasOpen || isRefusal) throw error;
    const nowMs = performance.now();
    this.#lostAt ??= nowMs;
    if (nowMs - this.#lostAt > patienceMs) throw this.#gaveUp(error);
    const askedMs = error instanceof ProblemError ? (error.retryAfterMs ?? 0) : 0;
    const retryMs = Math.max(this.#retryMs, askedMs);
    this.#options.onConnection?.({ state: 'cut', retryMs });
    const { signal } = this.#options;
    try {
      await delay(retryMs, undefined, signal === undefined ? {} : { signal });
    } catch {
      signal?.throwIfAborted();
    }
    this.#retryMs = Math.min(this.#retryMs * 2, longestRetryMs);
  }

  #gaveUp(cause: unknown): Error {
    const { url } = this.#client;
    return new UnreachableError(url.href, `The connection to ${url.href} was lost and did not come back.`, {
      cause,
      hint: 'the run goes on without you; watch it again with `baton runs watch`',
    });
  }
}
