/**
 * Sends the messages of one link to its server, for transports that the SDK does not have, and knows how far each
 * message got.
 *
 * It follows redirects within the same origin. It refuses others, since they would take the credentials along.
 */
import type { FailureError } from '@baton/engine';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';

import { httpFailure } from '../failure/httpFailure.ts';
import type { Grant } from '../oauth/grant.ts';
import type { HttpAnswer } from './answer.ts';
import { PostDeliveries } from './postDeliveries.ts';
import type { PostDelivery } from './postDelivery.ts';
import type { Fetcher } from './serverHttpClient.ts';

export interface MessagePosterOptions {
  /** The server's name and address, for messages. */
  readonly peer: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly grant?: Grant | undefined;
}

const redirectsMax = 5;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Redirects that keep a POST a POST. Many servers turn it into a GET after a 301 or 302: those are not followed. */
const keepsMethod: ReadonlySet<number> = new Set([307, 308]);

export class MessagePoster {
  protocolVersion: string | undefined;
  readonly deliveries: PostDeliveries;
  readonly #fetcher: Fetcher;
  readonly #options: MessagePosterOptions;
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

  async get(url: URL, accept: string): Promise<HttpAnswer> {
    return this.#send(url, { method: 'GET', signal: this.signal }, { accept });
  }

  async post(
    url: URL,
    message: JSONRPCMessage,
    accept: string,
    delivery?: PostDelivery,
    limitMs?: number,
  ): Promise<HttpAnswer> {
    const limits = limitMs === undefined ? [] : [AbortSignal.timeout(limitMs)];
    const signals = [this.signal, ...(delivery === undefined ? [] : [delivery.abort.signal]), ...limits];
    const signal = AbortSignal.any(signals);
    const headers = { accept, 'content-type': 'application/json' };
    return this.#send(url, { method: 'POST', body: JSON.stringify(message), signal }, headers, delivery);
  }

  close(): void {
    this.#closing.abort();
  }

  /** Sends the message, and once more with another token if the server rejects the first. */
  async #send(
    url: URL,
    init: RequestInit,
    more: Readonly<Record<string, string>>,
    delivery?: PostDelivery,
  ): Promise<HttpAnswer> {
    const { grant } = this.#options;
    const answer = await this.#follow(url, { ...init, headers: await this.#headers(more) }, delivery);
    if (answer.status !== 401 || grant === undefined) return answer;
    await answer.text();
    await grant.onUnauthorized({ response: answer as unknown as Response });
    return this.#follow(url, { ...init, headers: await this.#headers(more) }, delivery);
  }

  async #headers(more: Readonly<Record<string, string>>): Promise<Headers> {
    const headers = new Headers({ ...this.#options.headers });
    const token = await this.#options.grant?.token();
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    if (this.protocolVersion !== undefined) headers.set('mcp-protocol-version', this.protocolVersion);
    for (const [name, value] of Object.entries(more)) headers.set(name, value);
    return headers;
  }

  async #follow(from: URL, init: RequestInit, delivery?: PostDelivery): Promise<HttpAnswer> {
    let url = from;
    for (let followed = 0; ; followed++) {
      const answer = await this.#fetcher.fetch(url, init, delivery);
      answer.authorization = new Headers(init.headers).get('authorization') ?? undefined;
      const location = redirects.has(answer.status) ? answer.headers.get('location') : null;
      if (location === null) return answer;
      const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
      const isSame = next?.origin === from.origin && (init.method === 'GET' || keepsMethod.has(answer.status));
      await answer.text();
      if (next === undefined || !isSame || followed >= redirectsMax) {
        throw statusError(answer, `a redirect to ${location.slice(0, 80)}, which is not followed`);
      }
      url = next;
    }
  }
}

export const statusError = ({ status, statusText }: HttpAnswer, text: string): SdkHttpError =>
  new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `Error ${status}: ${text === '' ? statusText : text}`, {
    status,
    statusText,
    text,
  });
