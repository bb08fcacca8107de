/**
 * A balancer may bring what a client of a revision before 2026-07-28 sends during a call to another process than the call:
 * its answer to a question, and a cancel. That process passes it on. Lost ones are as those of a client that is silent.
 */
import { randomInt } from 'node:crypto';

import type { TextSeal } from '@baton/control';
import { isObject } from '@baton/primitives';
import type { Channels } from '@baton/runner';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';

/** Requests that one server makes of its client. */
const idsMax = 2 ** 20;
/** A channel takes texts of this many bytes; a longer answer reaches its call only where the balancer brought it there. */
const textMax = 4_000;

interface PassedMessage {
  readonly session: string;
  readonly owner: string;
  readonly message: JSONRPCMessage;
}

/** The session of a client in this process. */
export interface RelayedSession {
  readonly owner: string;
  /** Takes a message of the client that came to another process. */
  readonly take: (message: JSONRPCMessage) => void;
}

export interface MessageRelayOptions {
  readonly channels: Channels;
  /** Others who reach the channels can neither read nor make an answer. */
  readonly seal: TextSeal;
  readonly find: (session: string) => RelayedSession | undefined;
}

export class MessageRelay {
  readonly #options: MessageRelayOptions;
  readonly #stop: () => void;

  constructor(options: MessageRelayOptions) {
    this.#options = options;
    this.#stop = options.channels.listen('messages', (text) => this.#hear(text));
  }

  close(): void {
    this.#stop();
  }

  /**
   * Call it after the server was connected. Its requests get ids that no other server of the session has, so that an answer
   * reaches its own question only. Returns what takes messages that came to other processes.
   */
  attach(transport: Transport, session: string, owner: string): RelayedSession['take'] {
    const first = randomInt(1, 2 ** 27) * idsMax;
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(withId(message, first), options);
    const deliver = transport.onmessage?.bind(transport);
    const isOwn = (id: unknown): id is number => typeof id === 'number' && id >= first && id < first + idsMax;
    const onmessage: Transport['onmessage'] = (message, extra) => {
      if (isAnswer(message)) {
        if (isOwn(message.id)) deliver?.({ ...message, id: message.id - first }, extra);
        else this.#pass({ session, owner, message });
        return;
      }
      deliver?.(message, extra);
      if (isCancel(message)) this.#pass({ session, owner, message });
    };
    Object.assign(transport, { onmessage });
    return (message) => {
      if (!isAnswer(message)) deliver?.(message);
      else if (isOwn(message.id)) deliver?.({ ...message, id: message.id - first });
    };
  }

  #pass(passed: PassedMessage): void {
    const text = this.#options.seal.seal(JSON.stringify(passed));
    if (Buffer.byteLength(text) <= textMax) this.#options.channels.send('messages', text);
  }

  #hear(text: string): void {
    const opened = this.#options.seal.open(text);
    if (opened === undefined) return;
    const { session, owner, message } = JSON.parse(opened) as PassedMessage;
    const found = this.#options.find(session);
    if (found?.owner === owner) found.take(message);
  }
}

const isAnswer = (
  message: JSONRPCMessage,
): message is Extract<JSONRPCMessage, { result: unknown } | { error: unknown }> =>
  !('method' in message) && 'id' in message;

const isCancel = (message: JSONRPCMessage): boolean =>
  'method' in message && message.method === 'notifications/cancelled';

/** The message with the id of a request, or of the request that it cancels, counted from `first`. */
function withId(message: JSONRPCMessage, first: number): JSONRPCMessage {
  if (!('method' in message)) return message;
  if ('id' in message) return typeof message.id === 'number' ? { ...message, id: first + message.id } : message;
  const requestId: unknown = isCancel(message) && isObject(message.params) ? message.params['requestId'] : undefined;
  if (typeof requestId !== 'number') return message;
  return { ...message, params: { ...message.params, requestId: first + requestId } };
}
