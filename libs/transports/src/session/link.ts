/**
 * A link: one end of a conversation with one server. Each transport implements it.
 *
 * It extends the SDK's Transport by three answers, which decide whether a call may be repeated: may this request have
 * arrived, can its answer still come, and what happened to the other end?
 */
import type { FailureError } from '@baton/engine';
import type { HttpServerConfig } from '@baton/protocol';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

export interface Link extends Transport {
  /** Sees every message first. True: the SDK's client does not get it. */
  intercept: ((message: JSONRPCMessage) => boolean) | undefined;
  /**
   * Sends a request whose id the SDK's client does not know. False: the link has ended, the request was not sent.
   * `headers`: for links over HTTP.
   */
  post(id: number, request: JSONRPCMessage, headers?: Readonly<Record<string, string>>): boolean;
  /**
   * The answer to this request cannot come any more, though the link may continue. Returns false if no request of Baton
   * waits for it.
   */
  onlost: ((id: number, failure: FailureError) => boolean) | undefined;
  /** Called when the other end may be gone: it should be pinged. */
  onsuspect?: (() => void) | undefined;
  /** Called with everything that the SDK's client sends, before it is sent. */
  onsend: ((message: JSONRPCMessage) => void) | undefined;
  /** Called with input that is not a message. */
  onnoise?: (() => void) | undefined;
  readonly account: DeliveryAccount;
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
  /** What the link waits for during the handshake; absent: the answer to `initialize`. */
  readonly awaits?: string;
  readonly exit?: ProcessExit;
  /** The end of the process's stderr. */
  readonly stderr?: string;
  /** Lines on stdout that are not messages. */
  readonly rubbish?: { readonly lines: number; readonly first: string };
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Opens links of one server. Rejects with `FailureError`, delivery `unsent`, and leaves nothing behind then. */
export interface Connector {
  readonly kind: 'process' | HttpServerConfig['type'];
  /** Resolves to a link that is not started: the SDK's client starts it. */
  connect(): Promise<Link>;
  /** For a server of 2024-11-05 at the same address; tried if the server rejects this transport. */
  readonly older?: Connector;
}
