/**
 * Watches what a server sends before the handshake is complete; from then on the `RequestChannel` does. It gives up two
 * kinds of servers: one that answers a request that was never sent, and one that never stops sending. Requests and
 * notifications are allowed in every revision, and go to the SDK's client.
 */
import { cleanText } from '@baton/primitives';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';

import type { Link } from './link.ts';

/** As much as it may say unasked in a second, later on. */
const unaskedMax = 10_000;
const shownCharacters = 80;

export class Handshake {
  readonly #link: Link;
  readonly #failed = Promise.withResolvers<never>();
  /** Requests of ours by their ids, as text: what they ask for. */
  readonly #asked = new Map<string, string>();
  /** The one that waits for its answer. */
  #waiting: RequestId | undefined;
  #unasked = 0;
  #isOver = false;

  constructor(link: Link) {
    this.#link = link;
    link.onsend = (message) => this.#sent(message);
    link.intercept = (message) => this.#take(message);
    link.onnoise = () => this.#unaskedFor();
  }

  /** Rejects with the reason as soon as it is certain that this becomes no session. */
  get failed(): Promise<never> {
    return this.#failed.promise;
  }

  /** The channel that takes the link over listens from here on. */
  end(): void {
    this.#link.onsend = undefined;
    this.#link.intercept = undefined;
    this.#link.onnoise = undefined;
  }

  #sent(message: JSONRPCMessage): void {
    if (!('method' in message) || !('id' in message) || message.id === undefined) return;
    this.#asked.set(String(message.id), message.method);
    this.#waiting = message.id;
  }

  /** True: the handshake is over, and the message is dropped. */
  #take(message: JSONRPCMessage): boolean {
    if (this.#isOver) return true;
    if ('method' in message) this.#unaskedFor();
    else if (String(message.id) === String(this.#waiting)) this.#waiting = undefined;
    // One answer given twice does no harm.
    else if (this.#waiting === undefined || this.#asked.has(String(message.id))) this.#unaskedFor();
    else this.#fail(`${strayOf(message)}; expected was the answer to ${this.#expected()}`);
    return this.#isOver;
  }

  #expected(): string {
    const id = String(this.#waiting);
    return `"${this.#asked.get(id)}" with the id ${JSON.stringify(this.#waiting)}`;
  }

  #unaskedFor(): void {
    if (++this.#unasked > unaskedMax) this.#fail(`it said more than ${unaskedMax} messages that it was not asked for`);
  }

  #fail(reason: string): void {
    this.#isOver = true;
    this.#failed.reject(new Error(reason));
  }
}

/** What came instead, in the words that it came in. */
function strayOf(message: JSONRPCMessage): string {
  // The message is checked to be JSON-RPC, and no more.
  const { id, error } = message as { readonly id?: unknown; readonly error?: { readonly message?: unknown } | null };
  const said =
    typeof error?.message === 'string' ? ` with the error "${cleanText(error.message, shownCharacters)}"` : '';
  if (id === undefined || id === null) return `it answered${said} without an id`;
  return `it answered${said} with the id ${cleanText(JSON.stringify(id), shownCharacters)}, which no request had`;
}
