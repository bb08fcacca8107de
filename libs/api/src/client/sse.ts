/** Server-sent events out of the body of an answer. */
import type { EventSourceMessage } from 'eventsource-parser';
import { createParser } from 'eventsource-parser';

/** Far above what an event of a journal needs. */
const messageCharactersMax = 32 * 1024 * 1024;

export interface SseOptions {
  /** Called with every chunk, comments too: the connection is alive. */
  readonly onSign?: () => void;
  /** How long the server wants clients to stay away after a cut. */
  readonly onRetry?: (ms: number) => void;
}

/** Ends where the stream ends; drops a message that is cut off. Throws what the stream throws. */
export async function* readSse(
  body: ReadableStream<Uint8Array>,
  { onSign, onRetry }: SseOptions = {},
): AsyncGenerator<EventSourceMessage> {
  const messages: EventSourceMessage[] = [];
  let broken: Error | undefined;
  const parser = createParser({
    maxBufferSize: messageCharactersMax,
    onEvent: (message) => void messages.push(message),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') broken = error;
    },
    ...(onRetry === undefined ? {} : { onRetry }),
  });
  const decoder = new TextDecoder();
  for await (const chunk of chunksOf(body)) {
    onSign?.();
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* messages.splice(0);
    if (broken !== undefined) throw broken;
  }
}

/** Not every browser iterates streams by itself. */
export async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
