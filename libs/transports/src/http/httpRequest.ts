/** One request and its answer, on one connection. */
import type { Dispatcher } from 'undici';

import { HttpAnswer, BodyReader } from './answer.ts';
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
    const headers = new Headers();
    for (const [name, value] of Object.entries(raw)) {
      for (const one of Array.isArray(value) ? value : [value ?? '']) headers.append(name, one);
    }
    this.#watch?.onAnswer(status, headers);
    if (headers.get('content-type')?.startsWith('text/event-stream') === true) this.#meter = new EventMeter();
    this.#intake = new BodyReader({
      pause: () => this.#controller?.pause(),
      resume: () => this.#controller?.resume(),
      abort: (reason) => this.#abort(reason),
    });
    this.#settle.resolve(new HttpAnswer(this.#url, status, statusText, headers, this.#intake));
  }

  onResponseData(_: Controller, chunk: Buffer): void {
    // Undici passes an empty chunk when it is resumed. A reader that got it would ask for the next at once, for ever.
    if (chunk.length === 0) return;
    this.#bytes = this.#meter === undefined ? this.#bytes + chunk.length : this.#meter.add(chunk);
    if (this.#bytes > this.#limitBytes) this.#abort(new TooLargeError(this.#limitBytes));
    else this.#intake?.push(chunk);
  }

  onResponseEnd(): void {
    this.#done(undefined);
    this.#intake?.end();
  }

  onResponseError(_: Controller, error: Error): void {
    this.#fail(this.#reason ?? error);
  }

  #abort(reason: Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
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
