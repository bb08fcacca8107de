/**
 * Follows a run's journal: yields each event once, in order, over several connections if necessary. After a lost
 * connection it resumes with `Last-Event-ID`; it gives up when it cannot reconnect for two minutes.
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
  /** Only events after this position. */
  readonly after?: number;
  readonly signal?: AbortSignal | undefined;
  readonly onConnection?: (connection: ConnectionState) => void;
}

export type ConnectionState =
  /** `clockAheadMs`: by how much the server's clock runs ahead of ours. */
  | { readonly state: 'open'; readonly clockAheadMs: number }
  /** The connection broke; the next attempt is in `retryMs`. */
  | { readonly state: 'cut'; readonly retryMs: number };

/** A connection without any data for this long counts as dead; the server sends comments on an idle stream. */
const silenceMs = 60_000;
const firstRetryMs = 250;
const longestRetryMs = 5_000;
/** How long to try to reconnect. */
const patienceMs = 120_000;

/** Ends after `run.finished`. Rejects with `ProblemError`, `UnreachableError`, or the reason of a signal. */
export async function* followRun(
  connection: Connection,
  runId: string,
  options: FollowOptions = {},
): AsyncGenerator<FollowedEvent> {
  const follower = new RunFollower(connection, runId, options);
  for (;;) {
    try {
      for await (const followed of follower.connect()) {
        yield followed;
        if (followed.event.type === 'run.finished') return;
      }
      await follower.pause(new Error('the stream ended before the run did'));
    } catch (error) {
      await follower.pause(error);
    }
  }
}

class RunFollower {
  readonly #connection: Connection;
  readonly #path: string;
  readonly #options: FollowOptions;
  #seq: number;
  #wasOpen = false;
  /** When the connection was lost; undefined while connected. */
  #lostAt: number | undefined;
  /** The delay after the next lost connection; the server may set it. */
  #firstRetryMs = firstRetryMs;
  #retryMs = firstRetryMs;

  constructor(connection: Connection, runId: string, options: FollowOptions) {
    this.#connection = connection;
    this.#path = `/v1/runs/${encodeURIComponent(runId)}/events`;
    this.#options = options;
    this.#seq = options.after ?? 0;
  }

  /** Opens one connection, and resumes where the last one ended. */
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
      const onRetry = (ms: number): number => (this.#firstRetryMs = Math.min(ms, longestRetryMs));
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
    // The `Date` header has whole seconds, so smaller differences are noise.
    this.#options.onConnection?.({ state: 'open', clockAheadMs: Math.abs(aheadMs) < 2_000 ? 0 : aheadMs });
    this.#wasOpen = true;
  }

  /** Undefined for an event that was read before. */
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

  /** Waits until the next connection is due; throws if another attempt is useless. */
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
