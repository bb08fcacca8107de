/**
 * MCP over Streamable HTTP: the SDK's transport, with each outgoing request watched.
 *
 * The SDK handles sessions, event streams, resumption and authorisation. But it waits for ever when a request gets no
 * answer. This link ends the wait when the answer's stream ends, and reports how far the request got.
 */

import { endsWithin } from '@baton/primitives';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { InsufficientScopeError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

import { httpFailure } from '../failure/httpFailure.ts';
import type { Grant } from '../oauth/grant.ts';
import type { Link } from '../session/link.ts';
import { PostDeliveries } from './postDeliveries.ts';
import type { PostDelivery } from './postDelivery.ts';
import { isEventStream } from './readEvents.ts';
import { StreamReopener } from './reopening.ts';
import type { Fetcher } from './serverHttpClient.ts';
import { unbatched } from './unbatched.ts';

/** Carries the id of a request from `send` to `#fetch`, which removes the header: it never leaves the process. */
const deliveryHeader = 'baton-delivery';

/**
 * How long the stream of an answer may stay open when the answer has come, and how long ending the session may take.
 */
const lingerMs = 5_000;
const goodbyeMs = 1_000;

/** How often the SDK reopens a stream before it gives up; `gaveUp` begins its error then. */
const reopeningTries = {
  initialReconnectionDelay: 1_000,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 3,
};
const gaveUp = 'Maximum reconnection attempts';
const listenAgainMs = 30_000;

/** The only revision with batches. */
const batchesIn = '2025-03-26';

type SendOptions = Parameters<StreamableHTTPClientTransport['send']>[1];

export interface HttpLinkOptions {
  /** The server's name and address, for messages. */
  readonly peer: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly grant?: Grant | undefined;
}

export class HttpLink implements Link {
  /** Read by the SDK's client: each request has its own stream. */
  readonly hasPerRequestStream = true;
  intercept: Link['intercept'];
  onlost: Link['onlost'];
  onsend: Link['onsend'];
  onnoise: Link['onnoise'];
  onmessage: Link['onmessage'];
  onclose: Link['onclose'];
  onerror: Link['onerror'];
  onsuspect: Link['onsuspect'];
  readonly account: PostDeliveries;
  readonly #inner: StreamableHTTPClientTransport;
  /** Requests that are answered and still hold a connection. */
  readonly #lingering = new Set<PostDelivery>();
  readonly #reopening = new StreamReopener();
  #closing: Promise<void> | undefined;

  constructor({ peer, url, headers, grant }: HttpLinkOptions, fetcher: Fetcher) {
    this.account = new PostDeliveries(peer);
    this.#inner = new StreamableHTTPClientTransport(url, {
      requestInit: { headers: { ...headers } },
      ...(grant === undefined ? {} : { authProvider: grant, onInsufficientScope: 'throw' }),
      fetch: (to, init) => this.#fetch(fetcher, to, init ?? {}),
      reconnectionOptions: reopeningTries,
      reconnectionScheduler: this.#reopening.schedule,
    });
    this.#inner.onmessage = (message: JSONRPCMessage) => this.#deliver(message);
    this.#inner.onerror = (error) => {
      if (error instanceof InsufficientScopeError) void grant?.insufficient(error);
      if (error.message.startsWith(gaveUp)) this.#listenAgain();
      // The event holds no valid message.
      if (error instanceof SyntaxError || error.name === 'ZodError') this.onnoise?.();
      this.onerror?.(error);
    };
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version);
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    this.onsend?.(message);
    return this.#inner.send(message, options);
  }

  post(id: number, request: JSONRPCMessage, more: Readonly<Record<string, string>> = {}): boolean {
    if (this.#closing !== undefined) return false;
    this.#endLingering();
    const delivery = this.account.open(id);
    const lost = (error: unknown): void => {
      if (this.account.settle(id) === undefined) return;
      const { isSent, retryAfterMs } = delivery;
      const hasSession = this.sessionId !== undefined;
      this.onlost?.(id, httpFailure(error, { peer: this.account.peer, hasSession, isSent, retryAfterMs }));
    };
    const onRequestStreamEnd = (): void =>
      lost(delivery.error ?? new Error('the answer’s stream ended without an answer'));
    const headers = { ...more, [deliveryHeader]: String(id) };
    const sent = this.#inner.send(request, { headers, requestSignal: delivery.abort.signal, onRequestStreamEnd });
    // All messages of the answer were passed on by then.
    sent.then(() => (delivery.isWhole ? lost(new SyntaxError('the answer is to another request')) : undefined), lost);
    return true;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // A server keeps a session until it is deleted or expires. The request may fail: the server may be gone.
    const goodbye = this.#inner.terminateSession().catch(() => {});
    await endsWithin(goodbye, goodbyeMs);
    this.#reopening.close();
    await this.#inner.close();
    this.onclose?.();
  }

  /** The SDK gave up reopening the stream: has the server pinged, and opens the stream again. */
  #listenAgain(): void {
    this.onsuspect?.();
    const again = (): void => void this.#inner.resumeStream('').catch(() => {});
    if (this.#closing === undefined) this.#reopening.schedule(again, listenAgainMs);
  }

  #deliver(message: JSONRPCMessage): void {
    if ('id' in message && !('method' in message)) this.#answered(Number(message.id));
    if (this.intercept?.(message) !== true) this.onmessage?.(message);
  }

  #answered(id: number): void {
    const delivery = this.account.settle(id);
    if (delivery === undefined) return;
    delivery.answeredAt = performance.now();
    if (delivery.isOpen) this.#lingering.add(delivery);
  }

  /** Ends streams that a server keeps open after their answer, oldest first. */
  #endLingering(): void {
    const since = performance.now() - lingerMs;
    for (const delivery of this.#lingering) {
      if (delivery.isOpen && delivery.answeredAt > since) return;
      this.#lingering.delete(delivery);
      if (delivery.isOpen) delivery.abort.abort();
    }
  }

  async #fetch(fetcher: Fetcher, url: URL | string, init: RequestInit): Promise<Response> {
    const headers = init.headers instanceof Headers ? init.headers : new Headers(init.headers);
    const delivery = this.account.of(Number(headers.get(deliveryHeader) ?? Number.NaN));
    headers.delete(deliveryHeader);
    const answer = await fetcher.fetch(url, { ...init, headers }, delivery);
    answer.authorization = headers.get('authorization') ?? undefined;
    if (delivery !== undefined)
      delivery.isWhole = answer.headers.get('content-type')?.startsWith('application/json') === true;
    if (isEventStream(answer)) {
      answer.readExactly();
      const isReopened = init.method === 'GET';
      const onMessage = isReopened ? (): void => this.#reopening.heard() : undefined;
      if (isReopened || this.#inner.protocolVersion === batchesIn) answer.pipe((body) => unbatched(body, onMessage));
    }
    return answer as unknown as Response;
  }
}
