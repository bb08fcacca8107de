/**
 * Sends the messages of one link over HTTP to its server, and knows how far each message got.
 *
 * It follows redirects within the same origin. It refuses others, since they would take the credentials along.
 */
import type { FailureError } from '@baton/engine';
import { defined } from '@baton/primitives';
import { requestHeaders } from '@baton/protocol';
import { extractWWWAuthenticateParams, InsufficientScopeError } from '@modelcontextprotocol/client';

import { type Message, isCall, textOf } from '../link/messages.ts';
import type { HttpAnswer } from './answer.ts';
import { Cookies } from './cookies.ts';
import { httpFailure, StatusError } from './httpFailure.ts';
import { PostDeliveries } from './postDeliveries.ts';
import type { PostDelivery } from './postDelivery.ts';
import type { Fetcher } from './serverHttpClient.ts';

/** The tokens of a server, and how they are renewed when it refuses them. */
export interface Tokens {
  token(): Promise<string | undefined>;
  /** After a 401. Rejects with `UnauthorizedError` if a person has to log in. */
  onUnauthorized(answer: { readonly response: Response }): Promise<void>;
  /** After a 403 of a valid token that lacks a scope. Never rejects. */
  insufficient(error: InsufficientScopeError): Promise<void>;
}

export interface MessagePosterOptions {
  /** The server's name and address, for messages. */
  readonly peer: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly grant?: Tokens | undefined;
}

type HeaderValues = Readonly<Record<string, string>>;

const redirectsMax = 5;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Redirects that keep a POST a POST. Many servers turn it into a GET after a 301 or 302: those are not followed. */
const keepsMethod: ReadonlySet<number> = new Set([307, 308]);
/** Time limit for what has no answer of its own: some servers never answer a notification. */
const noticeMs = 5_000;
const accept = 'application/json, text/event-stream';

export class MessagePoster {
  protocolVersion: string | undefined;
  /** Of Streamable HTTP until 2025-11-25: names the session in each request. */
  sessionId: string | undefined;
  readonly deliveries: PostDeliveries;
  readonly #fetcher: Fetcher;
  readonly #options: MessagePosterOptions;
  readonly #cookies = new Cookies();
  readonly #closing = new AbortController();

  constructor(fetcher: Fetcher, options: MessagePosterOptions) {
    this.#fetcher = fetcher;
    this.#options = options;
    this.deliveries = new PostDeliveries(options.peer);
  }

  /** Aborted when the link closes. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  failure(error: unknown, delivery: PostDelivery, hasSession: boolean): FailureError {
    const { isSent, retryAfterMs } = delivery;
    return httpFailure(error, { peer: this.#options.peer, hasSession, isSent, retryAfterMs });
  }

  /** Opens a stream of events. */
  get(url: URL, headers: HeaderValues = {}, signal = this.signal): Promise<HttpAnswer> {
    return this.#send(url, { method: 'GET', signal }, { accept: 'text/event-stream', ...headers });
  }

  /** Posts a request. */
  post(url: URL, request: Message, delivery: PostDelivery, headers: HeaderValues = {}): Promise<HttpAnswer> {
    const { signal } = delivery.abort;
    const all = { ...headers, ...(isCall(request) ? requestHeaders(request) : {}), ...posted };
    return this.#send(url, { method: 'POST', body: textOf(request), signal }, all, delivery);
  }

  /** Posts a notification or an answer. Resolves when the server took it; rejects with `StatusError` if it did not. */
  async tell(url: URL, message: Message): Promise<void> {
    const signal = AbortSignal.any([this.signal, AbortSignal.timeout(noticeMs)]);
    const answer = await this.#send(url, { method: 'POST', body: textOf(message), signal }, posted);
    const text = await answer.text();
    if (!answer.ok) throw new StatusError(answer.status, text);
  }

  /** Ends the session at the server, which keeps it until it is deleted or expires. */
  async endSession(url: URL, signal: AbortSignal): Promise<void> {
    const answer = await this.#send(url, { method: 'DELETE', signal }, {});
    await answer.text();
  }

  close(): void {
    this.#closing.abort();
    this.deliveries.close();
  }

  /** Sends the message, and once more with another token if the server rejects the first. */
  async #send(url: URL, init: RequestInit, more: HeaderValues, delivery?: PostDelivery): Promise<HttpAnswer> {
    const { grant } = this.#options;
    const answer = await this.#follow(url, { ...init, headers: await this.#headers(more) }, delivery);
    if (grant === undefined) return answer;
    if (answer.status === 403) await this.#noteScope(grant, answer);
    if (answer.status !== 401) return answer;
    await answer.text();
    await grant.onUnauthorized({ response: answer as unknown as Response });
    return this.#follow(url, { ...init, headers: await this.#headers(more) }, delivery);
  }

  /** Throws if the token is good and lacks a scope: the next login asks for it. */
  async #noteScope(grant: Tokens, answer: HttpAnswer): Promise<void> {
    const challenge = extractWWWAuthenticateParams(answer as unknown as Response);
    if (challenge.error !== 'insufficient_scope') return;
    const { scope, resourceMetadataUrl, errorDescription } = challenge;
    const error = new InsufficientScopeError(defined({ requiredScope: scope, resourceMetadataUrl, errorDescription }));
    await answer.text();
    await grant.insufficient(error);
    throw error;
  }

  async #headers(more: HeaderValues): Promise<Headers> {
    const headers = new Headers({ ...this.#options.headers });
    const token = await this.#options.grant?.token();
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    if (this.sessionId !== undefined) headers.set('mcp-session-id', this.sessionId);
    if (this.protocolVersion !== undefined) headers.set('mcp-protocol-version', this.protocolVersion);
    for (const [name, value] of Object.entries(more)) headers.set(name, value);
    return headers;
  }

  async #follow(from: URL, init: RequestInit, delivery?: PostDelivery): Promise<HttpAnswer> {
    let url = from;
    for (let followed = 0; ; followed++) {
      const headers = new Headers(init.headers);
      const cookie = this.#cookies.headerFor(url, headers.get('cookie'));
      if (cookie !== undefined) headers.set('cookie', cookie);
      const answer = await this.#fetcher.fetch(url, { ...init, headers }, delivery);
      this.#cookies.take(url, answer.headers);
      answer.authorization = headers.get('authorization') ?? undefined;
      const location = redirects.has(answer.status) ? answer.headers.get('location') : null;
      if (location === null) return answer;
      const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
      const isSame = next?.origin === from.origin && (init.method !== 'POST' || keepsMethod.has(answer.status));
      await answer.text();
      if (next === undefined || !isSame || followed >= redirectsMax) {
        throw new StatusError(answer.status, `a redirect to ${location.slice(0, 80)}, which is not followed`);
      }
      url = next;
    }
  }
}

const posted = { accept, 'content-type': 'application/json' } as const;
