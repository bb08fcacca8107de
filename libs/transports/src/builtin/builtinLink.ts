/**
 * A conversation with a server within Baton: no process, no socket, and the messages of MCP all the same. So its calls
 * have the journal, the effects, the secrets and the limits of all others.
 */
import type { FailureError } from '@baton/engine';
import { isObject, membersOf } from '@baton/primitives';

import { PostDeliveries } from '../http/postDeliveries.ts';
import type { PostDelivery } from '../http/postDelivery.ts';
import type { Link } from '../link/link.ts';
import type { Answer, Call } from '../link/messages.ts';
import { type BuiltinCaller, type BuiltinTools, callerKey } from './builtinTools.ts';

interface BuiltinLinkOptions {
  /** The server's name, for messages. */
  readonly peer: string;
  /** Of Baton. */
  readonly version: string;
  readonly calls: BuiltinTools;
  /** Which of them it is. */
  readonly kind: string;
}

export class BuiltinLink implements Link {
  onmessage: Link['onmessage'];
  onlost: Link['onlost'];
  onnoise: Link['onnoise'];
  onclose: Link['onclose'];
  protocolVersion: string | undefined;
  readonly hasSession = false;
  readonly account: PostDeliveries;
  readonly #options: BuiltinLinkOptions;
  #isClosed = false;

  constructor(options: BuiltinLinkOptions) {
    this.#options = options;
    this.account = new PostDeliveries(options.peer);
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  /** Notifications of a client say nothing that matters here: a call that has no caller any more ends by `account.forget`. */
  send(): Promise<void> {
    return Promise.resolve();
  }

  post(id: number, request: Call): boolean {
    if (this.#isClosed) return false;
    const delivery = this.account.open(id);
    this.#answer(request, delivery).then(
      (answer) => {
        if (this.account.settle(id) !== undefined) this.onmessage?.({ id, ...answer });
      },
      (failure: FailureError) => {
        if (this.account.settle(id) !== undefined) this.onlost?.(id, failure);
      },
    );
    return true;
  }

  close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.onclose?.();
      this.account.close();
    }
    return Promise.resolve();
  }

  /** Rejects with `FailureError` where no answer came. */
  async #answer({ method, params }: Call, delivery: PostDelivery): Promise<Answer> {
    const { calls, version, kind } = this.#options;
    const members = membersOf(params);
    switch (method) {
      case 'initialize':
        return {
          result: {
            protocolVersion: members['protocolVersion'],
            capabilities: { tools: {} },
            serverInfo: { name: `baton-${kind}`, version },
          },
        };
      case 'ping':
        return { result: {} };
      case 'tools/list':
        return { result: { tools: calls.tools } };
      case 'tools/call':
        return calls.call(String(members['name']), members['arguments'] ?? {}, delivery, callerIn(members['_meta']));
      default:
        return { error: { code: -32_601, message: `There is no method "${method}".` } };
    }
  }
}

/** Baton itself writes it (`server/calls.ts`). */
function callerIn(meta: unknown): BuiltinCaller {
  const caller = membersOf(meta)[callerKey];
  return isObject(caller) ? (caller as unknown as BuiltinCaller) : { by: '' };
}
