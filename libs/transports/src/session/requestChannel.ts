/**
 * Baton's requests over one link, and their answers.
 *
 * The SDK's client does the handshake and answers the server's own requests. Calls bypass it, because it does not tell
 * whether the request left, what exactly the server answered, and how long the server has been silent by the monotonic
 * clock; these decide whether a call may be repeated. It was also the slowest part of a call.
 *
 * Each request takes one answer. Late, repeated and unknown answers are counted and dropped.
 */
import { FailureError } from '@baton/engine';
import type { JsonObject } from '@baton/language';
import { cancelled, reasonOf, workerLost } from '@baton/runner';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';

import { rubbishOf } from '../failure/connectionLost.ts';
import { RateLimiter } from '../server/rateLimiter.ts';
import type { Link } from './link.ts';
import { PendingRequest } from './pendingRequest.ts';
import type { RequestOptions } from './requestOptions.ts';

export interface RequestChannelOptions {
  /** Members that every request has in addition (2026-07-28); none before that. */
  readonly envelope: Readonly<Record<string, unknown>> | undefined;
  /** Closing the answer's stream is how a request is cancelled (2026-07-28 over HTTP). */
  readonly cancelsByClosing: boolean;
  /** How long a cancelled request may still be answered. */
  readonly graceMs: number;
  /** Called once, when the server sends so many unrequested messages that the session should not be used. */
  readonly onFlood: () => void;
}

const straysMax = 1_000;
/** Limit on messages that answer no request: changed lists, logs, questions. */
const unrequestedPerSecond = 10_000;
/** The SDK counts its own requests from 0 on the same link. */
const firstId = 1_000_000;

export class RequestChannel {
  readonly #link: Link;
  readonly #options: RequestChannelOptions;
  readonly #pending = new Map<number, PendingRequest>();
  #nextId = firstId;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  /** Unrequested answers and progress messages. */
  #strays = 0;
  readonly #unrequested = new RateLimiter(unrequestedPerSecond);
  #isFlood = false;
  /** How many requests of the server Baton is answering. */
  #holds = 0;
  #heldSince = 0;

  constructor(link: Link, options: RequestChannelOptions) {
    this.#link = link;
    this.#options = options;
    link.intercept = (message) => this.#take(message);
    link.onlost = (id, failure) => {
      const pending = this.#settle(id);
      pending?.reject(failure);
      return pending !== undefined;
    };
    link.onnoise = () => this.#countUnrequested();
  }

  /** Runs with a request in flight. */
  get runs(): readonly string[] {
    return [...new Set([...this.#pending.values()].flatMap(({ ask }) => ask.runId ?? []))];
  }

  /** Stops all time limits while the server waits for Baton, until the returned function is called. */
  hold(): () => void {
    if (this.#holds === 0) this.#heldSince = performance.now();
    this.#holds += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holds -= 1;
      if (this.#holds > 0) return;
      for (const pending of this.#pending.values()) pending.postpone(performance.now() - this.#heldSince);
      this.#expire();
    };
  }

  /** The raw result. Rejects with `FailureError` and nothing else. */
  request(ask: RequestOptions): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (ask.signal.aborted) {
        reject(cancelled('unsent', ask.signal));
        return;
      }
      if (ask.beginSend?.() === false) {
        reject(workerLost());
        return;
      }
      const id = this.#nextId++;
      const pending = new PendingRequest(id, ask, resolve, reject, this.#onAbort);
      this.#pending.set(id, pending);
      ask.signal.addEventListener('abort', pending, { once: true });
      this.#watch(pending.dueAt());
      if (this.#link.post(id, this.#message(id, ask), ask.headers)) return;
      const message = 'The connection had ended before the call was sent.';
      this.#settle(id)?.reject(new FailureError('connection-lost', message, { delivery: 'unsent' }));
    });
  }

  /** The link has ended: no answer comes any more. */
  end(failure: FailureError): void {
    clearTimeout(this.#timer);
    this.#timerAt = Number.NEGATIVE_INFINITY;
    for (const id of this.#pending.keys()) {
      const { code, message } = failure;
      const { details } = failure.failure;
      const delivery = this.#link.account.mayHaveArrived(id) ? failure.delivery : 'unsent';
      const more = details === undefined ? {} : { details };
      this.#settle(id)?.reject(new FailureError(code, message, { delivery, cause: failure, ...more }));
    }
  }

  #message(id: number, { method, params, meta }: RequestOptions): JSONRPCMessage {
    const _meta = { ...this.#options.envelope, ...meta, progressToken: id };
    return { jsonrpc: '2.0', id, method, params: { ...params, _meta } };
  }

  #settle(id: number): PendingRequest | undefined {
    const pending = this.#pending.get(id);
    if (pending === undefined) return undefined;
    this.#pending.delete(id);
    pending.ask.signal.removeEventListener('abort', pending);
    return pending;
  }

  #take(message: JSONRPCMessage): boolean {
    if ('method' in message) {
      if (message.method === 'notifications/progress') return this.#progress(message.params);
      this.#countUnrequested();
      return Array.isArray(message.params) && this.#refuse(message);
    }
    const id = idOf(message.id);
    if (id === undefined || id < firstId) return false;
    const pending = this.#settle(id);
    if (pending === undefined) this.#stray();
    else pending.answer(message);
    return true;
  }

  /** JSON-RPC allows parameters by position, MCP does not (2025-03-26, base protocol): such requests are refused. */
  #refuse(message: JSONRPCMessage): boolean {
    if (!('id' in message) || message.id === undefined) return true;
    const error = { code: -32_600, message: 'Invalid Request', data: { expected: 'params is an object' } };
    this.#link.send({ jsonrpc: '2.0', id: message.id, error }).catch(() => {
      // The link has ended; the result is not needed.
    });
    return true;
  }

  #progress(params: unknown): boolean {
    const { progressToken, ...progress } = (params ?? {}) as JsonObject;
    const id = progressToken === undefined ? this.#onlyId() : idOf(progressToken);
    if (id === undefined || id < firstId) return false;
    const pending = this.#pending.get(id);
    if (pending === undefined) this.#stray();
    else pending.heard(progress);
    return true;
  }

  #countUnrequested(): void {
    if (!this.#unrequested.admits(performance.now())) this.#flood();
  }

  #stray(): void {
    if (++this.#strays >= straysMax) this.#flood();
  }

  #flood(): void {
    if (this.#isFlood) return;
    this.#isFlood = true;
    this.#options.onFlood();
  }

  /** Some servers leave out the progress token: then the only request is meant. */
  #onlyId(): number | undefined {
    return this.#pending.size === 1 ? this.#pending.keys().next().value : undefined;
  }

  readonly #onAbort = (pending: PendingRequest): void => {
    const { id, ask } = pending;
    if (!this.#link.account.mayHaveArrived(id)) {
      this.#link.account.forget(id);
      this.#settle(id)?.reject(cancelled('unsent', ask.signal));
    } else {
      this.#cancel(id, reasonOf(ask.signal));
      if (this.#options.cancelsByClosing) this.#settle(id)?.reject(cancelled('unknown', ask.signal));
      else this.#watch(pending.cancel(this.#options.graceMs));
    }
  };

  /** Cancels the request at the server. */
  #cancel(id: number, reason: string): void {
    if (this.#options.cancelsByClosing) {
      this.#link.account.forget(id);
      return;
    }
    const { envelope } = this.#options;
    const params = { requestId: id, reason, ...(envelope === undefined ? {} : { _meta: envelope }) };
    this.#link.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params }).catch(() => {
      // The link has ended, and the request with it.
    });
  }

  /** One timer for all requests: it is set again only for an earlier due time. */
  #watch(dueAt: number): void {
    if (dueAt >= this.#timerAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = dueAt;
    this.#timer = setTimeout(() => this.#expire(), Math.min(Math.max(dueAt - performance.now(), 0) + 1, 2 ** 31 - 1));
  }

  #expire(): void {
    if (this.#timerAt === Number.NEGATIVE_INFINITY) return;
    clearTimeout(this.#timer);
    this.#timerAt = Number.POSITIVE_INFINITY;
    const now = performance.now();
    const isHeld = this.#holds > 0;
    for (const pending of this.#pending.values()) if (pending.dueAt(isHeld) <= now) this.#giveUp(pending);
    let next = Number.POSITIVE_INFINITY;
    for (const pending of this.#pending.values()) next = Math.min(next, pending.dueAt(isHeld));
    if (next < Number.POSITIVE_INFINITY) this.#watch(next);
  }

  #giveUp(pending: PendingRequest): void {
    const { id, ask } = pending;
    const delivery = this.#link.account.mayHaveArrived(id) ? 'unknown' : 'unsent';
    if (!pending.isCancelled && delivery === 'unknown') this.#cancel(id, 'timed out');
    this.#link.account.forget(id);
    const failure = pending.isCancelled
      ? cancelled(delivery, ask.signal)
      : pending.timedOut(delivery, rubbishOf(this.#link.account.report()));
    this.#settle(id)?.reject(failure);
  }
}

/** A request id, which servers send back as a number or as text. */
function idOf(id: unknown): number | undefined {
  if (typeof id === 'number') return id;
  return typeof id === 'string' && /^[1-9]\d{6,15}$/.test(id) ? Number(id) : undefined;
}
