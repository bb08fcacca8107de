/**
 * Watches what a server sends before the handshake is complete; from then on the `RequestChannel` does. It gives up two
 * kinds of servers: one that answers a request that was never sent, and one that never stops sending. Requests and
 * notifications are allowed in every revision, and go to the SDK's client.
 */
import { cleanText } from '@baton/primitives';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';

import type { Link } from './link.ts';

/** As many as a session allows in a second: see `unrequestedPerSecond` of the request channel. */
const unrequestedMax = 10_000;
const shownCharacters = 80;

export class Handshake {
  readonly #link: Link;
  readonly #failed = Promise.withResolvers<never>();
  /** Methods of Baton's requests, by request id as text. */
  readonly #sentMethods = new Map<string, string>();
  /** The request that waits for its answer. */
  #waiting: RequestId | undefined;
  #unrequested = 0;
  #isOver = false;

  constructor(link: Link) {
    this.#link = link;
    link.onsend = (message) => this.#sent(message);
    link.intercept = (message) => this.#take(message);
    link.onnoise = () => this.#countUnrequested();
  }

  /** Rejects with the reason as soon as it is certain that the handshake fails. */
  get failed(): Promise<never> {
    return this.#failed.promise;
  }

  /** Stops watching: the request channel takes over. */
  end(): void {
    this.#link.onsend = undefined;
    this.#link.intercept = undefined;
    this.#link.onnoise = undefined;
  }

  #sent(message: JSONRPCMessage): void {
    if (!('method' in message) || !('id' in message) || message.id === undefined) return;
    this.#sentMethods.set(String(message.id), message.method);
    this.#waiting = message.id;
  }

  /** True: the handshake is over, and the message is dropped. */
  #take(message: JSONRPCMessage): boolean {
    if (this.#isOver) return true;
    if ('method' in message) this.#countUnrequested();
    else if (String(message.id) === String(this.#waiting)) this.#waiting = undefined;
    // A repeated answer does no harm.
    else if (this.#waiting === undefined || this.#sentMethods.has(String(message.id))) this.#countUnrequested();
    else this.#fail(`${strayOf(message)}; expected was the answer to ${this.#expected()}`);
    return this.#isOver;
  }

  #expected(): string {
    const id = String(this.#waiting);
    return `"${this.#sentMethods.get(id)}" with the id ${JSON.stringify(this.#waiting)}`;
  }

  #countUnrequested(): void {
    if (++this.#unrequested > unrequestedMax)
      this.#fail(`it sent more than ${unrequestedMax} messages that answer no request`);
  }

  #fail(reason: string): void {
    this.#isOver = true;
    this.#failed.reject(new Error(reason));
  }
}

/** Describes the unexpected answer. */
function strayOf(message: JSONRPCMessage): string {
  // The message is only known to be JSON-RPC.
  const { id, error } = message as { readonly id?: unknown; readonly error?: { readonly message?: unknown } | null };
  const said =
    typeof error?.message === 'string' ? ` with the error "${cleanText(error.message, shownCharacters)}"` : '';
  if (id === undefined || id === null) return `it answered${said} without an id`;
  return `it answered${said} with the id ${cleanText(JSON.stringify(id), shownCharacters)}, which no request had`;
}
