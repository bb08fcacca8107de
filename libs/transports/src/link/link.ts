/**
 * A link: one end of a conversation with one server. Each transport implements it.
 *
 * Besides moving messages it answers what decides whether a call may be repeated: may this request have arrived, can its
 * answer still come, and what happened to the other end?
 */
import type { FailureError } from '@baton/engine';
import type { HttpServerConfig } from '@baton/protocol';

import type { Call, Message } from './messages.ts';

/** Called by a link. */
export interface LinkListeners {
  onmessage: ((message: Message) => void) | undefined;
  /**
   * The answer to this request cannot come any more, though the link may continue. Returns false if no request of Baton
   * waits for it.
   */
  onlost: ((id: number, failure: FailureError) => boolean) | undefined;
  /** Input that is not a message. */
  onnoise: (() => void) | undefined;
  /** The other end may be gone: it should be pinged. */
  onsuspect?: (() => void) | undefined;
  /** The link has ended. */
  onclose: (() => void) | undefined;
}

export interface Link extends LinkListeners {
  readonly account: DeliveryAccount;
  /** The server keeps something for this link that it may forget. */
  readonly hasSession: boolean;
  /** The revision that later messages name, once it is known. */
  protocolVersion: string | undefined;
  /** Resolves when messages can be sent. */
  start(): Promise<void>;
  /** Sends a notification, or the answer to a request of the server. Rejects if the server did not take it. */
  send(message: Message): Promise<void>;
  /** Sends a request. False: the link has ended, the request was not sent. `headers`: for links over HTTP. */
  post(id: number, request: Call, headers?: Readonly<Record<string, string>>): boolean;
  /** The handshake is over: opens the way for messages that the server sends by itself, if that is one of its own. */
  listen?(): void;
  /** Closes the link and ends its process. Resolves when nothing is left; never rejects. */
  close(): Promise<void>;
}

/** The delivery state of the posted requests, and the state of the other end. */
export interface DeliveryAccount {
  /** False only if it is certain that the request never left. */
  mayHaveArrived(id: number): boolean;
  /** The caller no longer waits for the answer: drops an unsent request, and releases its resources. */
  forget(id: number): void;
  report(): LinkReport;
}

export interface LinkReport {
  /** The server's name in messages: `"files" (npx -y …)`. */
  readonly peer: string;
  readonly pid?: number;
  /** What the link waits for before it can send messages. */
  readonly awaits?: string;
  /** Where messages are posted, if the server named the address. */
  readonly endpoint?: string;
  readonly exit?: ProcessExit;
  /** The end of the process's stderr. */
  readonly stderr?: string;
  /** Output on stdout that is no message; no lines: the first has not ended. */
  readonly rubbish?: { readonly lines: number; readonly first: string };
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Opens links of one server. Rejects with `FailureError`, delivery `unsent`, and leaves nothing behind then. */
export interface Connector {
  readonly kind: 'process' | 'builtin' | HttpServerConfig['type'];
  /** Resolves to a link that is not started. */
  connect(): Promise<Link>;
  /** For a server of 2024-11-05 at the same address; tried if the server rejects this transport. */
  readonly older?: Connector;
}
