/**
 * MCP over HTTP with server-sent events (MCP 2024-11-05, transports): one stream from the server. Its first event names
 * the address for posting messages, and the answers arrive on the stream.
 *
 * Baton does not use the SDK's transport: it reopens a broken stream by itself, and the server takes the new stream for
 * a session without a handshake. Here the end of the stream ends the session, and the pool opens another.
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client';

import type { Link } from '../session/link.ts';
import { messagesIn } from '../session/messages.ts';
import type { HttpAnswer } from './answer.ts';
import type { HttpLinkOptions } from './httpLink.ts';
import { MessagePoster, statusError } from './messagePoster.ts';
import type { PostDeliveries } from './postDeliveries.ts';
import type { PostDelivery } from './postDelivery.ts';
import { isEventStream, readEvents } from './readEvents.ts';
import type { Fetcher } from './serverHttpClient.ts';

export class SseLink implements Link {
  intercept: Link['intercept'];
  onlost: Link['onlost'];
  onsend: Link['onsend'];
  onmessage: Link['onmessage'];
  onclose: Link['onclose'];
  onerror: Link['onerror'];
  onnoise: Link['onnoise'];
  readonly account: PostDeliveries;
  readonly #url: URL;
  readonly #poster: MessagePoster;
  #endpoint: URL | undefined;
  #isClosed = false;

  constructor(options: HttpLinkOptions, fetcher: Fetcher) {
    this.#url = options.url;
    this.#poster = new MessagePoster(fetcher, options);
    this.account = this.#poster.deliveries;
  }

  setProtocolVersion(version: string): void {
    this.#poster.protocolVersion = version;
  }

  /** Resolves when the server has named the address for posting messages. */
  async start(): Promise<void> {
    this.account.awaits = 'say on a stream of events where to post messages';
    const answer = await this.#poster.get(this.#url, 'text/event-stream');
    if (answer.status !== 200 || !isEventStream(answer)) {
      throw statusError(answer, answer.status === 200 ? 'no stream of events' : await answer.text());
    }
    await new Promise<void>((resolve, reject) => {
      const ended = (error: Error): void => {
        reject(error);
        this.#end();
      };
      readEvents(answer, ({ event, data }) => {
        if (event === 'endpoint') {
          this.#endpoint = this.#endpointAt(data);
          this.account.awaits = undefined;
          resolve();
        } else if (event === undefined || event === 'message') this.#read(data);
      }).then(() => ended(new Error('the stream of events ended')), ended);
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.onsend?.(message);
    await this.#post(message);
  }

  post(id: number, request: JSONRPCMessage): boolean {
    if (this.#isClosed) return false;
    const delivery = this.account.open(id);
    this.#post(request, delivery).catch((error: unknown) => {
      if (this.account.settle(id) !== undefined) this.onlost?.(id, this.#poster.failure(error, delivery, true));
    });
    return true;
  }

  close(): Promise<void> {
    this.#end();
    return Promise.resolve();
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
    this.#poster.close();
  }

  async #post(message: JSONRPCMessage, delivery?: PostDelivery): Promise<void> {
    if (this.#endpoint === undefined || this.#isClosed) throw new SdkError(SdkErrorCode.NotConnected, 'Not connected');
    const answer: HttpAnswer = await this.#poster.post(
      this.#endpoint,
      message,
      'application/json, text/plain, */*',
      delivery,
    );
    const text = await answer.text();
    if (!answer.ok) throw statusError(answer, text);
  }

  /** Messages, with their credentials, go only to the origin of the stream. */
  #endpointAt(data: string): URL {
    const endpoint = new URL(data.trim(), this.#url);
    if (endpoint.origin === this.#url.origin) return endpoint;
    throw new Error(`the stream names an endpoint elsewhere, ${endpoint.origin}, and that is not followed`);
  }

  #read(data: string): void {
    const messages = messagesIn(data);
    if (messages === undefined) {
      this.onnoise?.();
      return;
    }
    for (const message of messages) {
      if ('id' in message && !('method' in message)) this.account.settle(Number(message.id));
      if (this.intercept?.(message) !== true) this.onmessage?.(message);
    }
  }
}
