/** Calls the checker in its worker thread, which starts with the first call. */
import type { CheckerAnswers, CheckerCall, KnownWorld } from './checkerCalls.ts';

interface PendingCheck {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

interface Reply {
  readonly id: number;
  readonly answer?: unknown;
  readonly problem?: string;
}

class CheckerClient {
  readonly #pending = new Map<number, PendingCheck>();
  #thread: Worker | undefined;
  #lastId = 0;
  /** What the thread has: it is large, and is sent when it changes. */
  #sentKnown: KnownWorld | undefined;

  readonly format = (text: string) => this.#ask('format', { text });
  readonly graph = (text: string, known: KnownWorld) => this.#ask('graph', { text, known });
  readonly check = (text: string, known: KnownWorld) => this.#ask('check', { text, known });
  readonly complete = (text: string, offset: number, known: KnownWorld) =>
    this.#ask('complete', { text, offset, known });
  readonly hover = (text: string, offset: number, known: KnownWorld) =>
    this.#ask('hover', { text, offset, known, nowMs: Date.now() });

  #ask<Method extends keyof CheckerAnswers>(
    method: Method,
    parts: Omit<CheckerCall, 'id' | 'method'>,
  ): Promise<CheckerAnswers[Method]> {
    const { promise, resolve, reject } = Promise.withResolvers<CheckerAnswers[Method]>();
    this.#lastId += 1;
    this.#pending.set(this.#lastId, { resolve, reject });
    const thread = (this.#thread ??= this.#start());
    const { known, ...others } = parts;
    const isNew = known !== undefined && known !== this.#sentKnown;
    if (isNew) this.#sentKnown = known;
    thread.postMessage({ id: this.#lastId, method, ...others, ...(isNew && { known }) } satisfies CheckerCall);
    return promise;
  }

  #start(): Worker {
    const thread = new Worker(new URL('./checker.worker.ts', import.meta.url), { type: 'module', name: 'checker' });
    thread.addEventListener('message', ({ data }: MessageEvent<Reply>) => this.#take(data));
    thread.addEventListener('error', ({ message }) => this.#fail(message));
    return thread;
  }

  #take({ id, answer, problem }: Reply): void {
    const waiting = this.#pending.get(id);
    this.#pending.delete(id);
    if (problem === undefined) waiting?.resolve(answer as never);
    else waiting?.reject(new Error(problem));
  }

  /** The next question starts another thread. */
  #fail(message: string): void {
    this.#thread = undefined;
    this.#sentKnown = undefined;
    const error = new Error(message === '' ? 'The checker did not start.' : message);
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}

export const checker = new CheckerClient();
