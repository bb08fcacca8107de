/**
 * One initialised session with one server: the result of the handshake, and the calls over the session.
 *
 * A session is open, suspect (a call was given up, and a ping is on its way) or closed. Only an open session is handed
 * out, and a closed one never opens again.
 */
import { FailureError } from '@baton/engine';
import { type JsonObject, unawaited } from '@baton/primitives';

import { connectionLost } from '../failure/connectionLost.ts';
import { isMethodUnknown } from '../failure/rpcFailure.ts';
import type { Link, LinkReport } from '../link/link.ts';
import type { ServerIntroduction } from './introduction.ts';
import { keepListening } from './listening.ts';
import { requestInRounds } from './multiRoundTrip.ts';
import type { RequestChannel } from './requestChannel.ts';
import type { RequestOptions } from './requestOptions.ts';
import type { ServerRequestHandler } from './serverRequestHandler.ts';
import { requestAfterUrls } from './urlElicitation.ts';

export interface SessionParts {
  readonly id: string;
  readonly link: Link;
  readonly exchange: RequestChannel;
  readonly answerer: ServerRequestHandler;
  readonly introduction: ServerIntroduction;
  readonly pingMs: number;
  /** Called once, when it has closed; `closed` resolves when its resources are released. */
  readonly onClosed: (session: Session, failure: FailureError, closed: Promise<void>) => void;
}

const subscribeMs = 15_000;

export type SessionState = 'open' | 'suspect' | 'closed';

export class Session {
  readonly id: string;
  readonly introduction: ServerIntroduction;
  readonly openedAt = performance.now();
  /** Calls under way. */
  inFlight = 0;
  calls = 0;
  idleSince = performance.now();
  /** Number of answers received: a session that answers has proved itself. */
  answers = 0;
  /** Users without a call, such as subscriptions: a leased session is not idle. */
  leases = 0;
  /** Called once, when the session has closed. */
  onclosed: (() => void) | undefined;
  /** Called when the session can take calls again. */
  onfree: (() => void) | undefined;
  /** Called once, when the server sends so many unrequested messages that the session should not be used. */
  onflood: (() => void) | undefined;
  readonly #link: Link;
  readonly #exchange: RequestChannel;
  readonly #answerer: ServerRequestHandler;
  readonly #pingMs: number;
  readonly #onClosed: SessionParts['onClosed'];
  readonly #ended = new AbortController();
  #state: SessionState = 'open';
  #closing: Promise<void> = Promise.resolve();

  constructor({ id, link, exchange, answerer, introduction, pingMs, onClosed }: SessionParts) {
    this.id = id;
    this.introduction = introduction;
    this.#link = link;
    this.#exchange = exchange;
    this.#answerer = answerer;
    this.#pingMs = pingMs;
    this.#onClosed = onClosed;
    link.onclose = () => unawaited(this.close());
    exchange.onflood = () => this.onflood?.();
    link.onsuspect = () => unawaited(this.suspect());
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Aborted when the session has closed. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Whether the session's revision is older than 2026-07-28. */
  get isLegacy(): boolean {
    return this.introduction.prior.kind === 'legacy';
  }

  /** Whether the server keeps something for this session, which it may forget. */
  get hasState(): boolean {
    return this.isLegacy && this.#link.hasSession;
  }

  get report(): LinkReport {
    return this.#link.account.report();
  }

  /** Sends a request, and answers the server's requests meanwhile. Rejects with `FailureError`. */
  request(ask: RequestOptions): Promise<unknown> {
    const { signal, deadline } = ask;
    if (this.isLegacy) {
      const elicitation = 'elicitation/create';
      if (!this.#answerer.mayAnswer(elicitation)) return this.#exchange.request(ask);
      return requestAfterUrls({
        ask: (answeringMs) => this.#exchange.request({ ...ask, deadline: deadline + answeringMs }),
        elicit: (params) => this.answer(elicitation, { ...params, mode: 'url' }, ask),
      });
    }
    return requestInRounds(ask.params, {
      ask: (params, answeringMs) => this.#exchange.request({ ...ask, params, deadline: deadline + answeringMs }),
      answer: (method, params) => this.answer(method, params, ask),
      signal,
    });
  }

  /** Asks for a stream, until it ends: see `onStreamNews`. Rejects with `FailureError`. */
  stream(ask: RequestOptions): Promise<unknown> {
    return this.#exchange.request(ask);
  }

  /** Answers the questions in a result. Rejects with `FailureError`. */
  answer(method: string, params: JsonObject, { signal, runId }: RequestOptions): Promise<JsonObject> {
    return this.#answerer.answer(method, params, signal, runId === undefined ? [] : [runId]);
  }

  /**
   * Subscribes to resources until the signal is aborted; calls `onAgreed` whenever the server has agreed. Resolves when
   * the signal is aborted, or (before 2026-07-28) once the server has agreed. Rejects with `FailureError`.
   */
  async subscribe(uris: readonly string[], signal: AbortSignal, onAgreed: () => void): Promise<void> {
    if (!this.isLegacy) {
      const filter = { resourceSubscriptions: [...uris] };
      await keepListening(this.#exchange, filter, { signal, random: Math.random, onOpen: onAgreed });
      return;
    }
    const ask = (method: string, uri: string, until: AbortSignal): Promise<unknown> =>
      this.#exchange.request({
        method,
        params: { uri },
        idleMs: subscribeMs,
        deadline: performance.now() + subscribeMs,
        signal: until,
      });
    for (const uri of uris) await ask('resources/subscribe', uri, signal);
    onAgreed();
    const leave = (): void => {
      // Subscriptions end with their session.
      for (const uri of uris) ask('resources/unsubscribe', uri, this.ended).catch(() => {});
    };
    signal.addEventListener('abort', leave, { once: true });
  }

  /** A call timed out: the server may be slow, or gone. The session is not used until that is known. */
  async suspect(): Promise<void> {
    if (this.#state !== 'open') return;
    this.#state = 'suspect';
    if (!(await this.isAlive())) return;
    if (this.#state === 'suspect') this.#state = 'open';
    this.onfree?.();
  }

  /**
   * Pings the server, and closes the session if no answer comes. Since 2026-07-28 there is no `ping`, and no session to
   * lose.
   */
  async isAlive(): Promise<boolean> {
    if (this.#state === 'closed') return false;
    if (!this.isLegacy) return true;
    const refusal = await this.ping();
    if (refusal === undefined) return this.state !== 'closed';
    unawaited(this.close());
    return false;
  }

  /** Why the server did not answer a ping; undefined if it did, or does not know what a ping is. */
  async ping(): Promise<FailureError | undefined> {
    const ask = { method: 'ping', params: {}, isBare: true, signal: this.ended };
    try {
      await this.#exchange.request({ ...ask, idleMs: this.#pingMs, deadline: performance.now() + this.#pingMs });
      return undefined;
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
      return isMethodUnknown(error) ? undefined : error;
    }
  }

  /** Resolves when its resources are released. Pending calls fail with a lost connection. */
  close(): Promise<void> {
    if (this.#state !== 'closed') {
      this.#state = 'closed';
      const failure = connectionLost(this.report);
      this.#exchange.end(failure);
      this.#ended.abort();
      this.#closing = this.#link.close();
      this.#onClosed(this, failure, this.#closing);
      this.onclosed?.();
    }
    return this.#closing;
  }
}
