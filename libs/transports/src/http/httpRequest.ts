/** One request and its answer, on one connection. */
import type { Dispatcher } from 'undici';

import { HttpAnswer, BodyReader } from './answer.ts';
import { BodyDecoder, codingsOf, CodingError } from './decoding.ts';
import { EventMeter } from './eventMeter.ts';

/** Called with the progress and the end of a request. */
export interface RequestObserver {
  /** The request is about to be put on a connection: from here on it may arrive. */
  onSent(): void;
  onAnswer(status: number, headers: Headers): void;
  /** The request left its connection; `error`: the answer was incomplete. */
  onEnd(error: Error | undefined): void;
}

/** The body is larger than the limit. */
export class TooLargeError extends Error {
  override readonly name = 'TooLargeError';
  readonly limitBytes: number;

  constructor(limitBytes: number) {
    super(`the answer is larger than ${limitBytes} bytes`);
    this.limitBytes = limitBytes;
  }
}

interface RequestSettlement {
  readonly resolve: (answer: HttpAnswer) => void;
  readonly reject: (error: Error) => void;
}

type Controller = Dispatcher.DispatchController;

export class HttpRequest implements Dispatcher.DispatchHandler {
  readonly #url: string;
  readonly #limitBytes: number;
  readonly #settle: RequestSettlement;
  readonly #signal: AbortSignal | undefined;
  readonly #watch: RequestObserver | undefined;
  #controller: Controller | undefined;
  #intake: BodyReader | undefined;
  #meter: EventMeter | undefined;
  /** Undoes the compression of the body, if it has one. */
  #decoder: BodyDecoder | undefined;
  #bytes = 0;
  /** Why the request was aborted. */
  #reason: Error | undefined;

  constructor(
    url: string,
    limitBytes: number,
    settle: RequestSettlement,
    signal: AbortSignal | undefined,
    watch: RequestObserver | undefined,
  ) {
    this.#url = url;
    this.#limitBytes = limitBytes;
    this.#settle = settle;
    this.#signal = signal;
    this.#watch = watch;
    signal?.addEventListener('abort', this, { once: true });
  }

  /** Called by the signal. As an `EventListener` object it needs no closure. */
  handleEvent(): void {
    this.#abort(
      this.#signal?.reason instanceof Error ? this.#signal.reason : new DOMException('aborted', 'AbortError'),
    );
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#reason === undefined) this.#watch?.onSent();
    else controller.abort(this.#reason);
  }

  onResponseStart(_: Controller, status: number, raw: NodeJS.Dict<string | string[]>, statusText = ''): void {
    // An interim answer, such as Early Hints: the answer comes later (RFC 9110, 15.2).
    if (status < 200) return;
    const headers = new Headers();
    for (const [name, value] of Object.entries(raw)) {
      for (const one of Array.isArray(value) ? value : [value ?? '']) headers.append(name, one);
    }
    this.#watch?.onAnswer(status, headers);
    if (/^\s*text\/event-stream\b/i.test(headers.get('content-type') ?? '')) this.#meter = new EventMeter();
    this.#intake = new BodyReader({
      pause: () => this.#controller?.pause(),
      resume: () => this.#controller?.resume(),
      abort: (reason) => this.#abort(reason),
    });
    this.#decoder = this.#decoderFor(headers);
    this.#settle.resolve(new HttpAnswer(this.#url, status, statusText, headers, this.#intake));
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    // Undici passes an empty chunk when it is resumed. A reader that got it would ask for the next at once, for ever.
    if (chunk.length === 0 || this.#reason !== undefined) return;
    if (this.#decoder === undefined) this.#take(chunk);
    else if (!this.#decoder.push(chunk, () => controller.resume())) controller.pause();
  }

  onResponseEnd(): void {
    if (this.#decoder === undefined) this.#end();
    else this.#decoder.end();
  }

  #end(): void {
    this.#done(undefined);
    this.#intake?.end();
  }

  #decoderFor(headers: Headers): BodyDecoder | undefined {
    try {
      const codings = codingsOf(headers.get('content-encoding'));
      if (codings.length === 0) return undefined;
      return new BodyDecoder(codings, {
        onData: (chunk) => this.#take(chunk),
        onEnd: () => this.#end(),
        onError: (error) => this.#abort(error),
      });
    } catch (error) {
      if (!(error instanceof CodingError)) throw error;
      this.#abort(error);
      return undefined;
    }
  }

  #take(chunk: Buffer): void {
    if (this.#reason !== undefined) return;
    this.#bytes = this.#meter === undefined ? this.#bytes + chunk.length : this.#meter.add(chunk);
    if (this.#bytes > this.#limitBytes) this.#abort(new TooLargeError(this.#limitBytes));
    else this.#intake?.push(chunk);
  }

  onResponseError(_: Controller, error: Error): void {
    this.#fail(this.#reason ?? error);
  }

  #abort(reason: Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#decoder?.destroy();
    this.#controller?.abort(reason);
    this.#fail(reason);
  }

  #fail(error: Error): void {
    this.#done(error);
    if (this.#intake === undefined) this.#settle.reject(error);
    else this.#intake.fail(error);
  }

  #done(error: Error | undefined): void {
    this.#signal?.removeEventListener('abort', this);
    this.#watch?.onEnd(error);
  }
}
