/**
 * Receives the events of all runs: one stream for the whole page, open while the page is visible. Listeners get events
 * in batches. After a lost connection the stream continues from the last position that it delivered, unless the server
 * refuses it.
 */
import type { FeedEvent } from '@baton/api';

import { rootPath } from './client.ts';
import { reportCut, reportOpen } from './connectionState.ts';

interface FeedListener {
  readonly onEvents?: (events: readonly FeedEvent[]) => void;
  /** The stream begins without a position: data that was read before may miss an event. */
  readonly onBegin?: () => void;
  /** Called when the connection is lost. An event source gives no reason: the session may have ended. */
  readonly onCut?: () => void;
  /** The stream is open again: data on the screen may be old. */
  readonly onReconnect?: () => void;
}

const firstRetryMs = 500;
const longestRetryMs = 5_000;
/** Events within this time are delivered together. */
const batchMs = 250;

class LiveFeed {
  readonly #listeners = new Set<FeedListener>();
  #source: EventSource | undefined;
  #lastId: string | undefined;
  #retryMs = firstRetryMs;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  #batch: FeedEvent[] = [];
  #isStarted = false;
  #wasCut = false;

  /** Listens until the returned function is called. */
  listen(listener: FeedListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Returns how to stop it. */
  start(): () => void {
    this.#isStarted = true;
    this.#open();
    document.addEventListener('visibilitychange', this.#onVisibility);
    return () => {
      this.#isStarted = false;
      document.removeEventListener('visibilitychange', this.#onVisibility);
      this.#close();
      // The next session may not follow the stream: nothing would report a connection again.
      reportOpen();
    };
  }

  readonly #onVisibility = (): void => {
    // A browser opens six connections to one host: background tabs use none.
    if (document.visibilityState === 'hidden') this.#close();
    else if (this.#source === undefined) {
      this.#open();
      for (const { onReconnect } of this.#listeners) onReconnect?.();
    }
  };

  #open(): void {
    clearTimeout(this.#retryTimer);
    if (!this.#isStarted || this.#source !== undefined || document.visibilityState === 'hidden') return;
    const query = this.#lastId === undefined ? '' : `?after=${encodeURIComponent(this.#lastId)}`;
    this.#source = new EventSource(`${rootPath}v1/events${query}`);
    this.#source.addEventListener('open', () => this.#onOpen());
    this.#source.addEventListener('message', (message) => this.#take(message));
    this.#source.addEventListener('error', () => this.#onError());
  }

  #onOpen(): void {
    this.#retryMs = firstRetryMs;
    reportOpen();
    for (const { onReconnect, onBegin } of this.#listeners) {
      if (this.#wasCut) onReconnect?.();
      else if (this.#lastId === undefined) onBegin?.();
    }
    this.#wasCut = false;
  }

  #onError(): void {
    // Closed: the server answered with an error. A database that was restored does not know the position any more.
    if (this.#source?.readyState === EventSource.CLOSED) this.#lastId = undefined;
    this.#close();
    this.#wasCut = true;
    reportCut();
    for (const { onCut } of this.#listeners) onCut?.();
    this.#retryTimer = setTimeout(() => this.#open(), this.#retryMs * (0.5 + Math.random() / 2));
    this.#retryMs = Math.min(longestRetryMs, this.#retryMs * 2);
  }

  #take({ data, lastEventId }: MessageEvent): void {
    if (lastEventId !== '') this.#lastId = lastEventId;
    if (this.#batch.length === 0) setTimeout(() => this.#deliver(), batchMs);
    this.#batch.push(JSON.parse(String(data)) as FeedEvent);
  }

  #deliver(): void {
    const events = this.#batch;
    this.#batch = [];
    for (const { onEvents } of this.#listeners) onEvents?.(events);
  }

  #close(): void {
    clearTimeout(this.#retryTimer);
    this.#source?.close();
    this.#source = undefined;
  }
}

export const liveFeed = new LiveFeed();
