/**
 * MCP over Streamable HTTP: the SDK's transport, with every request of ours watched on its way out.
 *
 * The SDK does sessions, event streams, resumption and authorisation. What it leaves open is what became of a request
 * whose answer does not come: it waits. Here the end of an answer's stream is the end of the wait.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import type { FailureError } from '@baton/engine';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

import { connectionLost } from '../failure/connectionLost.ts';
import { httpFailure, retryAfterMs } from '../failure/httpFailure.ts';
import type { Link, LinkReport } from '../link.ts';
import type { Egress } from './egress.ts';
import type { Watch } from './hop.ts';

/** Names a request of ours from `post` to the egress, which takes it off again: it never leaves. */
const passHeader = 'baton-pass';

/** How long the stream of an answer may stay open when the answer has come, and how long ending the session may take. */
const lingerMs = 5_000;
const goodbyeMs = 1_000;

type SendOptions = Parameters<StreamableHTTPClientTransport['send']>[1];

export interface HttpLinkOptions {
  /** How the address is shown. */
  readonly peer: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

export class HttpLink implements Link {
  /** For the SDK's client: each request has a stream of its own. */
  readonly hasPerRequestStream = true;
  intercept: Link['intercept'];
  onlost: Link['onlost'];
  onmessage: Link['onmessage'];
  onclose: Link['onclose'];
  onerror: Link['onerror'];
  readonly #peer: string;
  readonly #inner: StreamableHTTPClientTransport;
  readonly #passes = new Map<number, Pass>();
  /** Answered, and still on a connection. */
  readonly #lingering = new Set<Pass>();
  #closing: Promise<void> | undefined;

  constructor({ peer, url, headers }: HttpLinkOptions, egress: Egress) {
    this.#peer = peer;
    this.#inner = new StreamableHTTPClientTransport(url, {
      requestInit: { headers: { ...headers } },
      fetch: (to, init) => this.#fetch(egress, to, init ?? {}),
    });
    this.#inner.onmessage = (message: JSONRPCMessage) => this.#deliver(message);
    this.#inner.onerror = (error) => this.onerror?.(error);
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
    return this.#inner.send(message, options);
  }

  post(id: number, request: JSONRPCMessage): boolean {
    if (this.#closing !== undefined) return false;
    this.#endLingering();
    const pass = new Pass();
    this.#passes.set(id, pass);
    const lost = (error: unknown): void => {
      if (!this.#passes.delete(id)) return;
      const { isSent, retryAfterMs } = pass;
      const hasSession = this.sessionId !== undefined;
      this.onlost?.(id, httpFailure(error, { peer: this.#peer, hasSession, isSent, retryAfterMs }));
    };
    const onRequestStreamEnd = (): void => lost(pass.error ?? new Error('the answer’s stream ended without an answer'));
    const headers = { [passHeader]: String(id) };
    this.#inner.send(request, { headers, requestSignal: pass.abort.signal, onRequestStreamEnd }).catch(lost);
    return true;
  }

  mayHaveArrived(id: number): boolean {
    return this.#passes.get(id)?.isSent ?? true;
  }

  forget(id: number): void {
    this.#passes.get(id)?.abort.abort();
    this.#passes.delete(id);
  }

  lost(): FailureError {
    return connectionLost(this.report());
  }

  report(): LinkReport {
    return { peer: this.#peer };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // A server keeps a session until it is told, or loses patience. It may be gone, or not care.
    const goodbye = this.#inner.terminateSession().catch(() => {});
    await Promise.race([goodbye, sleep(goodbyeMs, undefined, { ref: false })]);
    await this.#inner.close();
    this.onclose?.();
  }

  #deliver(message: JSONRPCMessage): void {
    if ('id' in message && !('method' in message)) this.#answered(Number(message.id));
    if (this.intercept?.(message) !== true) this.onmessage?.(message);
  }

  #answered(id: number): void {
    const pass = this.#passes.get(id);
    if (pass === undefined) return;
    this.#passes.delete(id);
    pass.answeredAt = performance.now();
    if (pass.isOpen) this.#lingering.add(pass);
  }

  /** Streams that a server keeps open after their answer; the oldest come first. */
  #endLingering(): void {
    const since = performance.now() - lingerMs;
    for (const pass of this.#lingering) {
      if (pass.isOpen && pass.answeredAt > since) return;
      this.#lingering.delete(pass);
      if (pass.isOpen) pass.abort.abort();
    }
  }

  #fetch(egress: Egress, url: URL | string, init: RequestInit): Promise<Response> {
    const headers = init.headers instanceof Headers ? init.headers : new Headers(init.headers);
    const pass = this.#passes.get(Number(headers.get(passHeader) ?? Number.NaN));
    headers.delete(passHeader);
    return egress.fetch(url, { ...init, headers }, pass) as unknown as Promise<Response>;
  }
}

/** What is known of one request on its way. */
class Pass implements Watch {
  readonly abort = new AbortController();
  isSent = false;
  /** It is on a connection. */
  isOpen = false;
  answeredAt = Number.POSITIVE_INFINITY;
  retryAfterMs: number | undefined;
  error: Error | undefined;

  onSent(): void {
    this.isSent = true;
    this.isOpen = true;
  }

  onAnswer(_: number, headers: Headers): void {
    this.retryAfterMs = retryAfterMs(headers.get('retry-after'), Date.now());
  }

  onEnd(error: Error | undefined): void {
    this.isOpen = false;
    this.error = error;
  }
}
