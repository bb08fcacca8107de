/** Reads server-sent events (HTML living standard, 9.2.6). */
import { type EventSourceMessage as SseMessage, createParser } from 'eventsource-parser';

export type { SseMessage };

/** Far above what one event needs. */
const messageCharactersMax = 32 * 1024 * 1024;

interface SseListener {
  readonly onEvent: (event: SseMessage) => void;
  /** How long the server wants clients to stay away after a cut. */
  readonly onRetry?: ((ms: number) => void) | undefined;
}

/** For chunks that are pushed. */
export class SseReader {
  readonly #decoder = new TextDecoder();
  readonly #parser: ReturnType<typeof createParser>;
  #broken: Error | undefined;
  /** The last chunk ended with CR: a LF that follows belongs to the same line end. */
  #endedWithCr = false;

  constructor({ onEvent, onRetry }: SseListener) {
    this.#parser = createParser({
      maxBufferSize: messageCharactersMax,
      onEvent,
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') this.#broken = error;
      },
      ...(onRetry === undefined ? {} : { onRetry }),
    });
  }

  /** Throws where one event is larger than any may be. */
  push(chunk: Uint8Array): void {
    this.#parser.feed(this.#withLineFeeds(this.#decoder.decode(chunk, { stream: true })));
    if (this.#broken !== undefined) throw this.#broken;
  }

  /** The stream has ended: an event without its blank line counts as whole. */
  end(): void {
    this.#parser.feed('\n\n');
  }

  /** The parser waits for what follows a CR, and a stream that has only CRs may send nothing more. */
  #withLineFeeds(text: string): string {
    const rest = this.#endedWithCr && text.startsWith('\n') ? text.slice(1) : text;
    if (text !== '') this.#endedWithCr = text.endsWith('\r');
    return rest.includes('\r') ? rest.replaceAll(/\r\n?/g, '\n') : rest;
  }
}

interface SseOptions {
  /** Called with every chunk, comments too: the connection is alive. */
  readonly onSign?: () => void;
  /** How long the server wants clients to stay away after a cut. */
  readonly onRetry?: (ms: number) => void;
}

/** Ends where the stream ends; drops an event that is cut off. Throws what the stream throws. */
export async function* readSse(
  body: ReadableStream<Uint8Array>,
  { onSign, onRetry }: SseOptions = {},
): AsyncGenerator<SseMessage, undefined> {
  const events: SseMessage[] = [];
  const reader = new SseReader({ onEvent: (event) => events.push(event), onRetry });
  for await (const chunk of chunksOf(body)) {
    onSign?.();
    reader.push(chunk);
    yield* events.splice(0);
  }
  return undefined;
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
