/**
 * MCP over HTTP with server-sent events (MCP 2024-11-05, transports): one stream from the server. Its first event names
 * the address for posting messages, and the answers arrive on the stream.
 *
 * Baton does not use the SDK's transport: it reopens a broken stream by itself, and the server takes the new stream for
 * a session without a handshake. Here the end of the stream ends the session, and the pool opens another.
 */
import { Intake } from '../link/intake.ts';
import type { Link } from '../link/link.ts';
import { readMessages, type Call, type Message } from '../link/messages.ts';
import { NoStreamError } from './httpFailure.ts';
import type { HttpLinkOptions } from './httpLink.ts';
import { MessagePoster } from './messagePoster.ts';
import type { PostDeliveries } from './postDeliveries.ts';
import type { PostDelivery } from './postDelivery.ts';
import { readAnswer } from './readAnswer.ts';
import { isEventStream, mediaTypeOf, readEvents } from './readEvents.ts';
import type { Fetcher } from './serverHttpClient.ts';

export class SseLink implements Link {
  onmessage: Link['onmessage'];
  onlost: Link['onlost'];
  onnoise: Link['onnoise'];
  onclose: Link['onclose'];
  /** The address for messages names it. */
  readonly hasSession = true;
  readonly account: PostDeliveries;
  readonly #url: URL;
  readonly #poster: MessagePoster;
  readonly #intake = new Intake(this, (id) => this.account.settle(id));
  #endpoint: URL | undefined;
  #isClosed = false;

  constructor(options: HttpLinkOptions, fetcher: Fetcher) {
    this.#url = options.url;
    this.#poster = new MessagePoster(fetcher, options);
    this.account = this.#poster.deliveries;
  }

  get protocolVersion(): string | undefined {
    return this.#poster.protocolVersion;
  }

  set protocolVersion(version: string | undefined) {
    this.#poster.protocolVersion = version;
  }

  /** Resolves when the server has named the address for posting messages. */
  async start(): Promise<void> {
    this.account.awaits = 'say on a stream of events where to post messages';
    const answer = await this.#poster.get(this.#url);
    if (!answer.ok) throw new NoStreamError(answer.status, (await answer.text()) || answer.statusText);
    if (!isEventStream(answer)) {
      await answer.body.cancel();
      throw new NoStreamError(answer.status, `no stream of events, but ${mediaTypeOf(answer) || 'no content type'}`);
    }
    await new Promise<void>((resolve, reject) => {
      const ended = (error: Error): void => {
        reject(error);
        this.#end();
      };
      const onEvent = ({ event, data }: { event?: string | undefined; data: string }): void => {
        if (event !== 'endpoint') {
          if (data !== '') this.#intake.take(data);
          return;
        }
        this.#endpoint = this.#endpointAt(data);
        this.account.awaits = undefined;
        // Without the session in it.
        this.account.endpoint = `${this.#endpoint.origin}${this.#endpoint.pathname}`;
        resolve();
      };
      readEvents(answer, { onEvent }).then(() => ended(new Error('the stream of events ended')), ended);
    });
  }

  async send(message: Message): Promise<void> {
    await this.#poster.tell(this.#endpointOrThrow(), message);
  }

  post(id: number, request: Call): boolean {
    if (this.#isClosed) return false;
    const delivery = this.account.open(id);
    this.#post(id, request, delivery).catch((error: unknown) => {
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

  /** The answer comes on the stream; some servers send it as the body, too. */
  async #post(id: number, request: Call, delivery: PostDelivery): Promise<void> {
    const answer = await this.#poster.post(this.#endpointOrThrow(), { id, ...request }, delivery);
    if (!answer.ok) await readAnswer(answer, { intake: this.#intake, id });
    else this.#intake.deliver(readMessages(await answer.text()).messages, id);
  }

  #endpointOrThrow(): URL {
    if (this.#endpoint === undefined || this.#isClosed) throw new Error('Not connected');
    return this.#endpoint;
  }

  /** Messages, with their credentials, go only to the origin of the stream. */
  #endpointAt(data: string): URL {
    const endpoint = new URL(data.trim(), this.#url);
    if (endpoint.origin === this.#url.origin) return endpoint;
    throw new Error(`the stream names an endpoint elsewhere, ${endpoint.origin}, and that is not followed`);
  }
}
