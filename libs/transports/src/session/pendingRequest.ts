/** One request that waits for its answer. */
import { type Delivery, FailureError } from '@baton/engine';
import { limits } from '@baton/expressions';
import { type JsonObject, cleanText, TokenBucket, writtenDuration } from '@baton/primitives';
import { admitResult } from '@baton/protocol';

import { rpcFailure } from '../failure/rpcFailure.ts';
import type { Answer } from '../link/messages.ts';
import type { RequestOptions } from './requestOptions.ts';

/** Further progress messages in the same second are ignored. */
const progressPerSecond = 100;
/** Methods whose result says nothing: `null` is one, too. */
const withoutResult: ReadonlySet<string> = new Set([
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  'tasks/update',
]);

export class PendingRequest {
  readonly id: number;
  readonly ask: RequestOptions;
  readonly #resolve: (result: unknown) => void;
  readonly #reject: (failure: FailureError) => void;
  readonly #onAbort: (pending: PendingRequest) => void;
  #idleAt: number;
  #deadline: number;
  #cancelledUntil = Number.POSITIVE_INFINITY;
  readonly #rateLimiter = new TokenBucket({ perSecond: progressPerSecond });

  constructor(
    id: number,
    ask: RequestOptions,
    resolve: (result: unknown) => void,
    reject: (failure: FailureError) => void,
    onAbort: (pending: PendingRequest) => void,
  ) {
    this.id = id;
    this.ask = ask;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#onAbort = onAbort;
    this.#idleAt = performance.now() + ask.idleMs;
    this.#deadline = ask.deadline;
  }

  get isCancelled(): boolean {
    return this.#cancelledUntil < Number.POSITIVE_INFINITY;
  }

  /** When the request is given up. `isHeld`: while the server waits for Baton, only a cancelled request has a limit. */
  dueAt(isHeld = false): number {
    return isHeld ? this.#cancelledUntil : Math.min(this.#idleAt, this.#deadline, this.#cancelledUntil);
  }

  /** Extends the time limits by the time that Baton took to answer the server. */
  postpone(ms: number): void {
    this.#idleAt += ms;
    this.#deadline += ms;
  }

  /** Called by the signal. As an `EventListener` object it needs no closure. */
  handleEvent(): void {
    this.#onAbort(this);
  }

  /** The server may still answer for `graceMs`. Returns the new due time. */
  cancel(graceMs: number): number {
    this.#cancelledUntil = performance.now() + graceMs;
    return this.#cancelledUntil;
  }

  reject(failure: FailureError): void {
    this.#reject(failure);
  }

  answer({ result, error }: Answer): void {
    const { method } = this.ask;
    if (result !== undefined && error !== undefined) {
      this.#reject(this.#invalid('it holds both a result and an error'));
    } else if (result !== undefined) this.#resolve(admitResult(method, result));
    else if (error === undefined) {
      if (withoutResult.has(method)) this.#resolve({});
      else this.#reject(this.#invalid('it holds neither a result nor an error'));
    } else if (this.isCancelled) {
      this.#reject(new FailureError('cancelled', 'The server stopped the call.', { delivery: 'answered' }));
    } else this.#reject(rpcFailure(error, method));
  }

  acknowledged(): void {
    this.#idleAt = Number.POSITIVE_INFINITY;
    this.#deadline = Number.POSITIVE_INFINITY;
    this.ask.onAcknowledged?.();
  }

  told(method: string, params: JsonObject): void {
    this.#idleAt = performance.now() + this.ask.idleMs;
    this.#deadline = Number.POSITIVE_INFINITY;
    if (!this.isCancelled) this.ask.onStreamNews?.(method, params);
  }

  heard({ progress, total, message }: JsonObject): void {
    const now = performance.now();
    this.#idleAt = now + this.ask.idleMs;
    if (typeof progress !== 'number' || this.isCancelled || !this.#rateLimiter.admits(now)) return;
    this.ask.onProgress?.({
      progress,
      ...(typeof total === 'number' ? { total } : {}),
      ...(typeof message === 'string' ? { message: cleanText(message, limits.progress.messageCharacters) } : {}),
    });
  }

  /** `hint`: one more sentence, or empty. */
  timedOut(delivery: Delivery, hint: string): FailureError {
    const { idleMs, method } = this.ask;
    const isTotal = this.#deadline <= this.#idleAt;
    const message = isTotal
      ? `The call exceeded its time limit (${method}).`
      : `The server was silent for ${writtenDuration(idleMs)} (${method}).`;
    return new FailureError('timeout', `${message}${hint}`, {
      delivery,
      details: { kind: isTotal ? 'total' : 'idle' },
    });
  }

  #invalid(why: string): FailureError {
    return new FailureError('invalid-result', `The answer to ${this.ask.method} is not JSON-RPC: ${why}.`, {
      delivery: 'unknown',
    });
  }
}
