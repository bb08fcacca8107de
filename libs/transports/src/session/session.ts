/**
 * One initialised session with one server: the result of the handshake, and the calls over the session.
 *
 * A session is open, suspect (a call was given up, and a ping is on its way) or closed. Only an open session is handed
 * out, and a closed one never opens again.
 */
import type { FailureError } from '@baton/engine';
import type { JsonObject } from '@baton/language';
import type { IntroducedServer } from '@baton/protocol';
import type { Client, PriorDiscovery } from '@modelcontextprotocol/client';

import { connectionLost } from '../failure/connectionLost.ts';
import type { Link, LinkReport } from './link.ts';
import { keepListening } from './listening.ts';
import { requestInRounds } from './multiRoundTrip.ts';
import type { RequestChannel } from './requestChannel.ts';
import type { RequestOptions } from './requestOptions.ts';
import type { ServerRequestHandler } from './serverRequestHandler.ts';
import { requestAfterUrls } from './urlElicitation.ts';

export interface ServerIntroduction extends IntroducedServer {
  /** The SDK's discovery result, for later sessions. */
  readonly prior: PriorDiscovery;
}

export interface SessionParts {
  readonly id: string;
  readonly client: Client;
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
  readonly #client: Client;
  readonly #link: Link;
  readonly #exchange: RequestChannel;
  readonly #answerer: ServerRequestHandler;
  readonly #pingMs: number;
  readonly #onClosed: SessionParts['onClosed'];
  readonly #ended = new AbortController();
  #state: SessionState = 'open';
  #closing: Promise<void> = Promise.resolve();

  constructor({ id, client, link, exchange, answerer, introduction, pingMs, onClosed }: SessionParts) {
    this.id = id;
    this.introduction = introduction;
    this.#client = client;
    this.#link = link;
    this.#exchange = exchange;
    this.#answerer = answerer;
    this.#pingMs = pingMs;
    this.#onClosed = onClosed;
    client.onclose = () => void this.close();
    link.onsuspect = () => void this.suspect();
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
      await keepListening(this.#client, filter, { signal, random: Math.random, onOpen: onAgreed });
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
    try {
      await this.#client.ping({ timeout: this.#pingMs });
      return this.state !== 'closed';
    } catch {
      void this.close();
      return false;
    }
  }

  /** Resolves when its resources are released. Pending calls fail with a lost connection. */
  close(): Promise<void> {
    if (this.#state !== 'closed') {
      this.#state = 'closed';
      const failure = connectionLost(this.report);
      this.#exchange.end(failure);
      this.#ended.abort();
      // Closing the link also closes the client.
      this.#closing = this.#link.close();
      this.#onClosed(this, failure, this.#closing);
      this.onclosed?.();
    }
    return this.#closing;
  }
}
