/**
 * A link: one end of a conversation with one server. Each transport implements it.
 *
 * It is the SDK's Transport with three more questions, which decide whether a call may be repeated: may this request
 * have arrived, can its answer still come, and what happened to the other end?
 */
import type { FailureError } from '@baton/engine';
import type { HttpServerConfig } from '@baton/protocol';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

export interface Link extends Transport {
  /** Sees every message first. True: taken, and the SDK's client does not see it. */
  intercept: ((message: JSONRPCMessage) => boolean) | undefined;
  /**
   * Sends a request of ours, whose id the SDK's client does not know. False: the link has ended, it was not sent.
   * `headers`: for links that have such.
   */
  post(id: number, request: JSONRPCMessage, headers?: Readonly<Record<string, string>>): boolean;
  /**
   * The answer to this request cannot come any more, though the link may continue. False: no request of ours waits for
   * it.
   */
  onlost: ((id: number, failure: FailureError) => boolean) | undefined;
  /** Called when the other end may be gone: it should be pinged. */
  onsuspect?: (() => void) | undefined;
  /** Called with everything that the SDK's client sends, before it is sent. */
  onsend: ((message: JSONRPCMessage) => void) | undefined;
  /** Called with input that is not a message. */
  onnoise?: (() => void) | undefined;
  readonly account: DeliveryAccount;
  /** Ends it, and what it started. Resolves when nothing of it is left; never rejects. */
  close(): Promise<void>;
}

/** What is known of the requests that were posted, and of the other end. */
export interface DeliveryAccount {
  /** False only where it is certain that the request never left. */
  mayHaveArrived(id: number): boolean;
  /** The caller no longer waits for that answer: an unsent request is dropped, and what is held for it is released. */
  forget(id: number): void;
  report(): LinkReport;
}

export interface LinkReport {
  /** As it is called in messages: `"files" (npx -y …)`. */
  readonly peer: string;
  readonly pid?: number;
  /** What it has not done yet, where that is something else than answering `initialize`. */
  readonly awaits?: string;
  readonly exit?: ProcessExit;
  /** The end of what it wrote to stderr. */
  readonly stderr?: string;
  /** Lines on stdout that are no messages. */
  readonly rubbish?: { readonly lines: number; readonly first: string };
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Opens links of one server. Rejects with `FailureError`, delivery `unsent`, and leaves nothing behind then. */
export interface Connector {
  readonly kind: 'process' | HttpServerConfig['type'];
  /** Not started yet: the SDK's client does that. */
  connect(): Promise<Link>;
  /** How a server of 2024-11-05 is reached at the same address, which is tried where this way is turned away. */
  readonly older?: Connector;
}
