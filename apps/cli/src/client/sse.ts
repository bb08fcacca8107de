/** Server-sent events out of the body of an answer. */
import type { EventSourceMessage } from 'eventsource-parser';
import { createParser } from 'eventsource-parser';

/** An event of a journal is far smaller. */
const messageCharactersMax = 32 * 1024 * 1024;

export interface SseOptions {
  /** Called with every chunk, comments too: the connection is alive. */
  readonly onSign?: () => void;
  /** How long the server wants us to stay away after a cut. */
  readonly onRetry?: (ms: number) => void;
}

/** Ends where the stream ends; a message that is cut off is dropped. Throws what the stream throws. */
export async function* readSse(
  body: AsyncIterable<Uint8Array>,
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
  for await (const chunk of body) {
    onSign?.();
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* messages.splice(0);
    if (broken !== undefined) throw broken;
  }
}
