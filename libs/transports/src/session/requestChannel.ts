/**
 * Baton's requests over one link, from the first of the handshake on, and their answers.
 *
 * Whether a request left, what exactly the server answered, and how long the server has been silent by the monotonic
 * clock decide whether a call may be repeated.
 *
 * Each request takes one answer. Late, repeated and unknown answers are counted and dropped; an error without an id
 * belongs to the only request that it can belong to.
 */
import { FailureError } from '@baton/engine';
import { type JsonObject, cleanText, defined, isObject, membersOf, NewestMap, TokenBucket } from '@baton/primitives';
import { admitMessage, isStreamNews } from '@baton/protocol';
import { cancelled, reasonOf, workerLost } from '@baton/runner';
import { SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/client';

import { rubbishOf } from '../failure/connectionLost.ts';
import { rpcDetails } from '../failure/rpcFailure.ts';
import { wordsIn } from '../failure/serverWords.ts';
import type { Link } from '../link/link.ts';
import { type Answer, type Call, type Message, acknowledged, isCall } from '../link/messages.ts';
import { PendingRequest } from './pendingRequest.ts';
import type { RequestOptions } from './requestOptions.ts';

/** How requests are made; what the handshake finds out may change it. */
export interface RequestStyle {
  /** Members that every request has in addition (2026-07-28); none before that. */
  readonly envelope?: Readonly<Record<string, unknown>>;
  /** Closing the answer's stream is how a request is cancelled (2026-07-28 over HTTP). */
  readonly cancelsByClosing: boolean;
}

export interface RequestChannelOptions extends RequestStyle {
  /** How long a cancelled request may still be answered. */
  readonly graceMs: number;
  /** Called with the server's own requests and notifications. */
  readonly onCall: (call: Call) => void;
}

const straysMax = 1_000;
/** Limit on messages that answer no request (changed lists, logs, questions): in a second, and in a whole handshake. */
const unrequestedMax = 10_000;
/** No number that a server would use itself, in its own requests or in other output. */
const firstId = 1_000_000;
const shownCharacters = 80;
/** JSON-RPC 2.0, section 5.1: about a message that the server could not read, so about no notification of Baton. */
const parseError = -32_700;

export class RequestChannel {
  readonly #link: Link;
  readonly #options: RequestChannelOptions;
  #style: RequestStyle;
  readonly #pending = new Map<number, PendingRequest>();
  /** Requests that were given up, and may still be answered. */
  readonly #givenUp = new NewestMap<number, true>(straysMax);
  #nextId = firstId;
  /** The id after the last notification; undefined once a later request was answered. */
  #afterNotice: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  /** Unrequested answers and progress messages. */
  #strays = 0;
  /** Of the last error without an id that belonged to no request for certain. */
  #strayWords = '';
  readonly #unrequested = new TokenBucket({ perSecond: unrequestedMax });
  #beforeHandshake = 0;
  #isFlood = false;
  /** The handshake is not over: an answer to no request shows that the other end is no server of MCP. */
  #isStrict = true;
  /** How many requests of the server Baton is answering. */
  #holds = 0;
  #heldSince = 0;
  /** Called once, when the server sends so many unrequested messages that the session should not be used. */
  onflood: (() => void) | undefined;

  constructor(link: Link, options: RequestChannelOptions) {
    this.#link = link;
    this.#options = options;
    this.#style = options;
    link.onmessage = (message) => this.#take(message);
    link.onlost = (id, failure) => {
      const pending = this.#settle(id);
      pending?.reject(failure);
      return pending !== undefined;
    };
    link.onnoise = () => this.#countUnrequested();
  }

  /** The handshake is over. */
  established(style: RequestStyle): void {
    this.#style = style;
    this.#isStrict = false;
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

  /** Sends a notification. Rejects if the server did not take it. */
  notify(method: string, params?: JsonObject): Promise<void> {
    this.#afterNotice = this.#nextId;
    return this.#link.send({ method, ...defined({ params }) });
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
      if (this.#link.post(id, this.#call(ask, id), ask.headers)) return;
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

  #call({ method, params, meta, isBare }: RequestOptions, id: number): Call {
    if (isBare === true) return { method, params: meta === undefined ? params : { ...params, _meta: meta } };
    return { method, params: { ...params, _meta: { ...this.#style.envelope, ...meta, progressToken: id } } };
  }

  #settle(id: number): PendingRequest | undefined {
    const pending = this.#pending.get(id);
    if (pending === undefined) return undefined;
    this.#pending.delete(id);
    pending.ask.signal.removeEventListener('abort', pending);
    return pending;
  }

  #take(message: Message): void {
    if (!isCall(message)) {
      this.#takeAnswer(message);
      return;
    }
    // The door leaves a call a call.
    const call = admitMessage(message) as Call;
    if (this.#isOfRequest(call)) return;
    this.#countUnrequested();
    if (Array.isArray(call.params)) this.#refuse(call);
    else this.#options.onCall(call);
  }

  /** Whether it is about a request of Baton. */
  #isOfRequest({ method, params }: Call): boolean {
    const members = membersOf(params);
    if (method === 'notifications/progress') return this.#progress(members);
    if (isStreamNews(method)) return this.#streamNews(method, members);
    if (method !== acknowledged && method !== 'notifications/cancelled') return false;
    const id = method === acknowledged ? subscriptionIn(members) : idOf(members['requestId']);
    const listening = id === undefined ? undefined : this.#pending.get(id);
    if (listening?.ask.onAcknowledged === undefined) return false;
    if (method === acknowledged) listening.acknowledged();
    else {
      const message = 'The server ended the subscription.';
      this.#settle(listening.id)?.reject(new FailureError('connection-lost', message, { delivery: 'unknown' }));
    }
    return true;
  }

  /** What comes after the stream was given up is dropped. */
  #streamNews(method: string, members: Readonly<Record<string, unknown>>): boolean {
    const id = subscriptionIn(members);
    const pending = id === undefined ? undefined : this.#pending.get(id);
    if (pending?.ask.onStreamNews === undefined) return id !== undefined && this.#givenUp.get(id) === true;
    pending.told(method, members as JsonObject);
    return true;
  }

  #takeAnswer(answer: Answer): void {
    const id = idOf(answer.id);
    const pending = id === undefined ? this.#withoutId(answer) : this.#settle(id);
    if (pending !== undefined) {
      if (pending.id >= (this.#afterNotice ?? Number.POSITIVE_INFINITY)) this.#afterNotice = undefined;
      pending.answer(answer);
      return;
    }
    if (id !== undefined && this.#givenUp.delete(id)) return;
    const isOurs = id !== undefined && id >= firstId && id < this.#nextId;
    const only = this.#isStrict && !isOurs ? this.#onlyId() : undefined;
    if (only === undefined) this.#stray();
    else {
      const failure = this.#astray(answer, only);
      this.#settle(only)?.reject(failure);
    }
  }

  /**
   * An error without an id belongs to the only request there is; unless it may be about one that was given up, or about a
   * notification, which some servers answer.
   */
  #withoutId({ id, error }: Answer): PendingRequest | undefined {
    if (id !== undefined || error === undefined) return undefined;
    const { code, message } = rpcDetails(error);
    const isOfNotice = this.#afterNotice !== undefined && code !== parseError;
    const only = isOfNotice || this.#givenUp.size > 0 ? undefined : this.#onlyId();
    if (only !== undefined) return this.#settle(only);
    if (isOfNotice) this.#afterNotice = undefined;
    this.#strayWords = message;
    return undefined;
  }

  /** The other end answers what it was not asked. */
  #astray({ id, error }: Answer, expected: number): FailureError {
    const method = this.#pending.get(expected)?.ask.method;
    const words = cleanText(wordsIn(error), shownCharacters);
    const said = words === '' ? '' : ` with the error "${words}"`;
    const it =
      id === undefined
        ? `it answered${said} without an id`
        : `it answered${said} with the id ${cleanText(JSON.stringify(id), shownCharacters)}, which no request had`;
    const message = `${it}; expected was the answer to "${method}" with the id ${expected}`;
    return new FailureError('invalid-result', message, { delivery: 'unknown' });
  }

  /** JSON-RPC allows parameters by position, MCP does not (2025-03-26, base protocol): such requests are refused. */
  #refuse({ id }: Call): void {
    if (id === undefined) return;
    const error = { code: -32_600, message: 'Invalid Request', data: { expected: 'params is an object' } };
    this.#link.send({ id, error }).catch(() => {
      // The link has ended; the result is not needed.
    });
  }

  #progress(params: Readonly<Record<string, unknown>>): boolean {
    const { progressToken, ...progress } = params as JsonObject;
    const id = progressToken === undefined ? this.#onlyId() : idOf(progressToken);
    if (id === undefined || id < firstId) return false;
    const pending = this.#pending.get(id);
    if (pending === undefined) this.#stray();
    else pending.heard(progress);
    return true;
  }

  #countUnrequested(): void {
    const isTooMuch = this.#isStrict
      ? ++this.#beforeHandshake > unrequestedMax
      : !this.#unrequested.admits(performance.now());
    if (isTooMuch) this.#flood();
  }

  #stray(): void {
    if (++this.#strays >= straysMax) this.#flood();
  }

  #flood(): void {
    if (this.#isFlood) return;
    this.#isFlood = true;
    if (!this.#isStrict) this.onflood?.();
    for (const id of this.#isStrict ? this.#pending.keys() : []) this.#settle(id)?.reject(flood());
  }

  /** The only request in flight, if there is one: it is meant where a server leaves out the id or the progress token. */
  #onlyId(): number | undefined {
    let only: number | undefined;
    for (const [id, { ask }] of this.#pending) {
      if (ask.onAcknowledged !== undefined || ask.onStreamNews !== undefined) continue;
      if (only !== undefined) return undefined;
      only = id;
    }
    return only;
  }

  readonly #onAbort = (pending: PendingRequest): void => {
    const { id, ask } = pending;
    if (!this.#link.account.mayHaveArrived(id)) {
      this.#link.account.forget(id);
      this.#settle(id)?.reject(cancelled('unsent', ask.signal));
    } else {
      this.#cancel(id, reasonOf(ask.signal));
      if (this.#style.cancelsByClosing) this.#settle(id)?.reject(cancelled('unknown', ask.signal));
      else this.#watch(pending.cancel(this.#options.graceMs));
    }
  };

  /** Cancels the request at the server. */
  #cancel(id: number, reason: string): void {
    const { cancelsByClosing, envelope } = this.#style;
    if (cancelsByClosing) {
      this.#link.account.forget(id);
      return;
    }
    const meta = envelope === undefined ? {} : { _meta: envelope as JsonObject };
    this.notify('notifications/cancelled', { requestId: id, reason, ...meta }).catch(() => {
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
    if (!pending.isCancelled && delivery === 'unknown' && ask.isBare !== true) this.#cancel(id, 'timed out');
    if (delivery === 'unknown') this.#givenUp.set(id, true);
    this.#link.account.forget(id);
    const failure = pending.isCancelled
      ? cancelled(delivery, ask.signal)
      : pending.timedOut(delivery, `${this.#straysSaid()}${rubbishOf(this.#link.account.report())}`);
    this.#settle(id)?.reject(failure);
  }

  #straysSaid(): string {
    return this.#strayWords === '' ? '' : ` It answered without an id: ${cleanText(this.#strayWords, 200)}`;
  }
}

/** A request id, which servers send back as a number or as text. */
function idOf(id: unknown): number | undefined {
  if (typeof id === 'number') return id;
  return typeof id === 'string' && /^[1-9]\d{6,15}$/.test(id) ? Number(id) : undefined;
}

/** The request whose stream it belongs to. */
const subscriptionIn = (members: Readonly<Record<string, unknown>>): number | undefined =>
  isObject(members['_meta']) ? idOf(members['_meta'][SUBSCRIPTION_ID_META_KEY]) : undefined;

const flood = (): FailureError =>
  new FailureError('invalid-result', `it sent more than ${unrequestedMax} messages that answer no request`, {
    delivery: 'unknown',
  });
