/**
 * A run's journal as it grows: every event once, in order, across as many connections as it takes.
 * After a cut it goes on with `Last-Event-ID`; it gives up only when nothing can be reached for long.
 */
import type { RunEvent } from '@baton/engine';
import { readSse } from '@baton/primitives';

import { ProblemError } from '../problems.ts';
import type { Connection } from './connection.ts';
import { pause } from './pause.ts';
import { UnreachableError } from './unreachable.ts';

/** An event with its position in the journal, from 1. */
export interface FollowedEvent {
  readonly seq: number;
  readonly event: RunEvent;
}

export interface FollowOptions {
  /** Only what comes after this position. */
  readonly after?: number;
  readonly signal?: AbortSignal | undefined;
  readonly onConnection?: (connection: ConnectionState) => void;
}

export type ConnectionState =
  /** `clockAheadMs`: by how much the server's clock runs ahead of ours. */
  | { readonly state: 'open'; readonly clockAheadMs: number }
  /** It broke; another is tried in `retryMs`. */
  | { readonly state: 'cut'; readonly retryMs: number };

/** After so long without a sign a connection counts as dead; the server sends comments on an idle stream. */
const silenceMs = 60_000;
const firstRetryMs = 250;
const longestRetryMs = 5_000;
/** For so long it tries to come back after a cut. */
const patienceMs = 120_000;

/** Ends after `run.finished`. Rejects with `ProblemError`, `UnreachableError`, or the reason of a signal. */
export async function* followRun(
  connection: Connection,
  runId: string,
  options: FollowOptions = {},
): AsyncGenerator<FollowedEvent> {
  const following = new Following(connection, runId, options);
  for (;;) {
    try {
      for await (const followed of following.connect()) {
        yield followed;
        if (followed.event.type === 'run.finished') return;
      }
      await following.pause(new Error('the stream ended before the run did'));
    } catch (error) {
      await following.pause(error);
    }
  }
}

class Following {
  readonly #connection: Connection;
  readonly #path: string;
  readonly #options: FollowOptions;
  #seq: number;
  #wasOpen = false;
  /** When the connection was lost; undefined while it is there. */
  #lostAt: number | undefined;
  /** After the next cut; the server may ask for more. */
  #firstRetryMs = firstRetryMs;
  #retryMs = firstRetryMs;

  constructor(connection: Connection, runId: string, options: FollowOptions) {
    this.#connection = connection;
    this.#path = `/v1/runs/${encodeURIComponent(runId)}/events`;
    this.#options = options;
    this.#seq = options.after ?? 0;
  }

  /** One connection, from where the last one ended. */
  async *connect(): AsyncGenerator<FollowedEvent> {
    const silence = new AbortController();
    const silent = (): void => silence.abort(new Error('the stream fell silent'));
    let timer = setTimeout(silent, silenceMs);
    try {
      const { signal } = this.#options;
      const response = await this.#connection.open(this.#path, {
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
      for await (const { id, data } of readSse(response.body ?? new ReadableStream(), { onSign, onRetry })) {
        const followed = this.#read(id, data);
        if (followed !== undefined) yield followed;
      }
    } finally {
      clearTimeout(timer);
      silence.abort();
    }
  }

  #opened({ headers }: Response): void {
    const type = headers.get('content-type') ?? '';
    if (!type.startsWith('text/event-stream')) {
      throw new ProblemError('internal', `The events of the run came as ${type.slice(0, 80)}.`, {
        status: 502,
        request: `GET ${this.#path}`,
      });
    }
    const date = Date.parse(headers.get('date') ?? '');
    const aheadMs = Number.isNaN(date) ? 0 : date - Date.now();
    // The header counts whole seconds: less than that says nothing.
    this.#options.onConnection?.({ state: 'open', clockAheadMs: Math.abs(aheadMs) < 2_000 ? 0 : aheadMs });
    this.#wasOpen = true;
  }

  /** Undefined for what was read before. */
  #read(id: string | undefined, data: string): FollowedEvent | undefined {
    const seq = Number(id);
    if (!Number.isInteger(seq) || seq <= this.#seq) return undefined;
    if (seq > this.#seq + 1) throw new Error(`event ${this.#seq + 1} is missing`);
    const event = JSON.parse(data) as RunEvent;
    this.#seq = seq;
    this.#lostAt = undefined;
    this.#retryMs = this.#firstRetryMs;
    return { seq, event };
  }

  /** Waits until it is time for the next connection; throws where another makes no sense. */
  async pause(error: unknown): Promise<void> {
    const { signal, onConnection } = this.#options;
    signal?.throwIfAborted();
    const isRefusal = error instanceof ProblemError && error.retryAfterMs === undefined && error.status < 500;
    if (!this.#wasOpen || isRefusal) throw error;
    const nowMs = performance.now();
    this.#lostAt ??= nowMs;
    if (nowMs - this.#lostAt > patienceMs) throw this.#gaveUp(error);
    const askedMs = error instanceof ProblemError ? (error.retryAfterMs ?? 0) : 0;
    const retryMs = Math.max(this.#retryMs, askedMs);
    onConnection?.({ state: 'cut', retryMs });
    await pause(retryMs, signal);
    this.#retryMs = Math.min(this.#retryMs * 2, longestRetryMs);
  }

  #gaveUp(cause: unknown): Error {
    const { href } = this.#connection.url;
    return new UnreachableError(href, `The connection to ${href} was lost and did not come back.`, {
      why: 'lost',
      cause,
    });
  }
}
