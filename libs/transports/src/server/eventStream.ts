/** A stream of events that a server sends (SEP-3415, draft: `events/stream`). */
import { FailureError } from '@baton/engine';
import type { JsonObject } from '@baton/primitives';
import { type StreamNews, readStreamNews } from '@baton/protocol';

export interface EventStream {
  readonly cursor: string | null;
  /** Events before those of the stream are lost. */
  readonly isTruncated: boolean;
  /** Resolves when it is over, to why where the server has ended it in words. Never rejects. */
  readonly ended: Promise<string | undefined>;
  close(): void;
}

/** Asks a server for the stream. Resolves when the server ends it. Rejects with `FailureError`. */
export type AskForStream = (ask: {
  readonly signal: AbortSignal;
  readonly idleMs: number;
  readonly onStreamNews: (method: string, params: JsonObject) => void;
}) => Promise<void>;

/** Servers send a heartbeat every thirty seconds: after twice the time the stream is dead. */
const idleMs = 75_000;
const openingMs = 30_000;

/** Resolves when the server has confirmed; what it says after that goes to `onNews`. Rejects with `FailureError`. */
export async function openEventStream(
  ask: AskForStream,
  signal: AbortSignal,
  onNews: (news: StreamNews) => void,
): Promise<EventStream> {
  const over = new AbortController();
  const close = (): void => over.abort(new Error('the stream is left'));
  const active = Promise.withResolvers<Pick<EventStream, 'cursor' | 'isTruncated'>>();
  let isActive = false;
  let farewell: string | undefined;
  const onStreamNews = (method: string, params: JsonObject): void => {
    const news = readStreamNews(method, params);
    if (news === undefined || over.signal.aborted) return;
    if (news.kind === 'terminated') {
      farewell = news.reason;
      close();
    } else if (news.kind === 'active' && !isActive) {
      isActive = true;
      active.resolve(news);
    } else onNews(news);
  };
  const asked = ask({ signal: over.signal, idleMs, onStreamNews });
  const ended = asked.then(
    () => farewell,
    () => farewell,
  );
  asked.then(
    () => active.reject(unconfirmed(farewell)),
    (error: unknown) => active.reject(farewell === undefined ? error : unconfirmed(farewell)),
  );
  const leave = (): void => over.abort(signal.reason);
  const late = setTimeout(close, openingMs);
  signal.addEventListener('abort', leave, { once: true });
  try {
    return { ...(await active.promise), ended, close };
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', leave);
  }
}

const unconfirmed = (said: string | undefined): FailureError =>
  new FailureError('invalid-result', `The server ended the stream of events at once: ${said ?? 'it said nothing'}.`, {
    delivery: 'unknown',
  });
