/**
 * An HTTP answer, with the parts that the SDK's transports read.
 *
 * It is no `Response` of fetch: building one, with its two streams, costs more than the call. The body is collected
 * when a caller asks for text or JSON, and becomes a stream only when a caller reads it as one (event streams).
 */
import { isUtf8 } from 'node:buffer';
import type { TextDecoder } from 'node:util';

import { parseExactly } from '@baton/primitives';

export class HttpAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly url: string;
  readonly type = 'default';
  /** The headers that the request set itself. */
  authorization: string | undefined;
  readonly #intake: BodyReader;

  constructor(url: string, status: number, statusText: string, headers: Headers, intake: BodyReader) {
    this.url = url;
    this.status = status;
    this.statusText = statusText;
    this.headers = headers;
    this.#intake = intake;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get body(): ReadableStream<Uint8Array> {
    return this.#intake.stream();
  }

  text(): Promise<string> {
    return this.#intake.text();
  }

  /** Rejects with `SyntaxError`. */
  async json(): Promise<unknown> {
    return parseExactly(await this.jsonText());
  }

  /**
   * The text of JSON, which is UTF-8 (RFC 8259, 8.1), unless its headers say otherwise: then `decoder` reads it, and throws
   * for what is none. Rejects with `SyntaxError` where it is no such text.
   */
  async jsonText(decoder?: TextDecoder): Promise<string> {
    this.#intake.decoder = decoder;
    const text = await this.#intake.text();
    if (this.#intake.isText) return text;
    throw new SyntaxError(`the answer is not ${decoder?.encoding ?? 'UTF-8'}`);
  }
}

/** Pauses and resumes the connection, or aborts the request. */
export interface ConnectionTap {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

type BodyController = ReadableStreamDefaultController<Uint8Array>;

/** Collects a body as it arrives. */
export class BodyReader {
  /** Whether the body is UTF-8, or what the decoder takes; set when it was read as text. */
  isText = true;
  /** Fatal. Undefined: for UTF-8. */
  decoder: TextDecoder | undefined;
  readonly #tap: ConnectionTap;
  #chunks: Buffer[] = [];
  #ended = false;
  #error: Error | undefined;
  #controller: BodyController | undefined;
  #whole: { resolve: (text: string) => void; reject: (error: Error) => void } | undefined;

  constructor(tap: ConnectionTap) {
    this.#tap = tap;
  }

  push(chunk: Buffer): void {
    if (this.#controller === undefined) this.#chunks.push(chunk);
    else {
      this.#controller.enqueue(chunk);
      if ((this.#controller.desiredSize ?? 1) <= 0) this.#tap.pause();
    }
  }

  end(): void {
    this.#ended = true;
    this.#controller?.close();
    this.#whole?.resolve(this.#join());
  }

  fail(error: Error): void {
    this.#error ??= error;
    this.#controller?.error(error);
    this.#whole?.reject(error);
  }

  text(): Promise<string> {
    if (this.#error !== undefined) return Promise.reject(this.#error);
    if (this.#ended) return Promise.resolve(this.#join());
    return new Promise((resolve, reject) => {
      this.#whole = { resolve, reject };
    });
  }

  stream(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          for (const chunk of this.#chunks) controller.enqueue(chunk);
          this.#chunks = [];
          if (this.#error !== undefined) controller.error(this.#error);
          else if (this.#ended) controller.close();
          else this.#controller = controller;
        },
        pull: () => this.#tap.resume(),
        cancel: () => {
          this.#controller = undefined;
          this.#tap.abort(new Error('the caller stopped reading this body'));
        },
      },
      { highWaterMark: 16 },
    );
  }

  #join(): string {
    const [first = Buffer.alloc(0), ...more] = this.#chunks;
    const bytes = more.length === 0 ? first : Buffer.concat(this.#chunks);
    this.#chunks = [];
    if (this.decoder !== undefined) return this.#decoded(this.decoder, bytes);
    this.isText = isUtf8(bytes);
    return bytes.toString('utf8');
  }

  #decoded(decoder: TextDecoder, bytes: Buffer): string {
    try {
      return decoder.decode(bytes);
    } catch {
      this.isText = false;
      return '';
    }
  }
}
