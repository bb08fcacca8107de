/**
 * MCP over plain HTTP: Baton posts a message, and the body of the response is the answer. There is no session, and the
 * server cannot send requests or notifications. A server in a few lines over a web framework works like this.
 *
 * Such a server may not know the handshake; then Baton finds out what it offers by asking for the lists.
 */
import { Intake } from '../link/intake.ts';
import type { Link } from '../link/link.ts';
import type { Call, Message } from '../link/messages.ts';
import type { HttpLinkOptions } from './httpLink.ts';
import { MessagePoster } from './messagePoster.ts';
import type { PostDeliveries } from './postDeliveries.ts';
import type { PostDelivery } from './postDelivery.ts';
import { readAnswer, unanswered } from './readAnswer.ts';
import type { Fetcher } from './serverHttpClient.ts';

export class PlainLink implements Link {
  onmessage: Link['onmessage'];
  onlost: Link['onlost'];
  onnoise: Link['onnoise'];
  onclose: Link['onclose'];
  readonly hasSession = false;
  readonly account: PostDeliveries;
  readonly #url: URL;
  readonly #poster: MessagePoster;
  readonly #intake = new Intake(this, (id) => this.account.settle(id));
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

  start(): Promise<void> {
    return Promise.resolve();
  }

  /** Resolves at once: some servers never answer a notification. */
  send(message: Message): Promise<void> {
    this.#poster.tell(this.#url, message).catch(() => {});
    return Promise.resolve();
  }

  post(id: number, request: Call, headers?: Readonly<Record<string, string>>): boolean {
    if (this.#isClosed) return false;
    const delivery = this.account.open(id);
    this.#ask(id, request, delivery, headers).catch((error: unknown) => {
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
  async #ask(id: number, request: Call, delivery: PostDelivery, headers?: Readonly<Record<string, string>>) {
    const answer = await this.#poster.post(this.#url, { id, ...request }, delivery, headers);
    if (await readAnswer(answer, { intake: this.#intake, id })) return;
    throw delivery.error ?? unanswered(answer);
  }
}
