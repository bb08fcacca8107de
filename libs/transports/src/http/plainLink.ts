/**
 * MCP over plain HTTP: Baton posts a message, and the body of the response is the answer. There is no session, and the
 * server cannot send requests or notifications. A server in a few lines over a web framework works like this.
 *
 * Such a server may not know the handshake; then Baton finds out what it offers by asking for the lists.
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client';

import type { Link } from '../session/link.ts';
import { messagesIn } from '../session/messages.ts';
import type { HttpAnswer } from './answer.ts';
import type { HttpLinkOptions } from './httpLink.ts';
import { MessagePoster, statusError } from './messagePoster.ts';
import type { PostDeliveries } from './postDeliveries.ts';
import { PostDelivery } from './postDelivery.ts';
import { isEventStream, readEvents } from './readEvents.ts';
import type { Fetcher } from './serverHttpClient.ts';

/** Time limit for posting a notification: some servers never answer one. */
const noticeMs = 5_000;
const accept = 'application/json, text/event-stream';

/** The introduction of a server that does not know `initialize`. */
const introduction = {
  protocolVersion: '2024-11-05',
  capabilities: { tools: {}, prompts: {}, resources: {} },
  serverInfo: { name: 'plain HTTP', version: 'unknown' },
};

export class PlainLink implements Link {
  readonly hasPerRequestStream = true;
  intercept: Link['intercept'];
  onlost: Link['onlost'];
  onsend: Link['onsend'];
  onnoise: Link['onnoise'];
  onmessage: Link['onmessage'];
  onclose: Link['onclose'];
  onerror: Link['onerror'];
  readonly account: PostDeliveries;
  readonly #url: URL;
  readonly #poster: MessagePoster;
  #isClosed = false;

  constructor(options: HttpLinkOptions, fetcher: Fetcher) {
    this.#url = options.url;
    this.#poster = new MessagePoster(fetcher, options);
    this.account = this.#poster.deliveries;
  }

  setProtocolVersion(version: string): void {
    this.#poster.protocolVersion = version;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.onsend?.(message);
    if (this.#isClosed) throw new SdkError(SdkErrorCode.NotConnected, 'Not connected');
    if ('method' in message && 'id' in message) await this.#ask(message, message.method, new PostDelivery());
    else void this.#poster.post(this.#url, message, accept, undefined, noticeMs).then(drained, () => {});
  }

  post(id: number, request: JSONRPCMessage): boolean {
    if (this.#isClosed) return false;
    const delivery = this.account.open(id);
    this.#ask(request, '', delivery).catch((error: unknown) => {
      if (this.account.settle(id) !== undefined) this.onlost?.(id, this.#poster.failure(error, delivery, false));
    });
    return true;
  }

  close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.onclose?.();
      this.#poster.close();
    }
    return Promise.resolve();
  }

  /** Posts a request and passes its answer on. Rejects if there is no answer. */
  async #ask(request: JSONRPCMessage, method: string, delivery: PostDelivery): Promise<void> {
    const id = 'id' in request ? request.id : undefined;
    const answer = await this.#poster.post(this.#url, request, accept, delivery);
    let isAnswered = false;
    const read = (text: string): boolean => {
      const messages = messagesIn(text);
      if (messages === undefined) this.onnoise?.();
      for (const message of messages ?? []) {
        const own = 'error' in message && (message.id ?? null) === null ? { ...message, id } : message;
        isAnswered ||= 'id' in own && own.id === id && !('method' in own);
        this.#deliver(method === 'initialize' ? introduced(own) : own);
      }
      return isAnswered;
    };
    if (isEventStream(answer)) await readEvents(answer, ({ data }) => void read(data));
    else await readBody(answer, read);
    if (!isAnswered) throw delivery.error ?? new Error('the answer is empty');
  }

  #deliver(message: JSONRPCMessage): void {
    if ('id' in message && !('method' in message)) this.account.settle(Number(message.id));
    if (this.intercept?.(message) !== true) this.onmessage?.(message);
  }
}

/** An answer counts with any status: frameworks send JSON-RPC errors as 400, 404 and 500. */
async function readBody(answer: HttpAnswer, read: (text: string) => boolean): Promise<void> {
  const text = await (answer.ok ? answer.jsonText() : answer.text());
  if (read(text)) return;
  if (!answer.ok) throw statusError(answer, text);
  if (text.trim() !== '') {
    const type = answer.headers.get('content-type') ?? 'no content type';
    throw new SdkError(SdkErrorCode.ClientHttpUnexpectedContent, `the answer is no JSON-RPC message (${type})`);
  }
}

const methodNotFound = -32_601;

function introduced(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message) || message.error.code !== methodNotFound) return message;
  return { jsonrpc: '2.0', id: message.id ?? 0, result: introduction };
}

const drained = (answer: HttpAnswer): Promise<unknown> => answer.text().catch(() => {});
