/** One request of a session. */
import type { JsonObject } from '@baton/primitives';
import type { Progress } from '@baton/runner';

export interface RequestOptions {
  /** The run that the call belongs to, if any. */
  readonly runId?: string;
  readonly method: string;
  readonly params: JsonObject;
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Sent as it is: without a progress token, and never cancelled. For the handshake and for pings. */
  readonly isBare?: boolean;
  /** Over HTTP only. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Called right before the request is sent. False: it is not sent. */
  readonly beginSend?: (() => boolean) | undefined;
  /** The request ends after a silence of this length; progress breaks the silence. */
  readonly idleMs: number;
  /** On the clock of `performance.now()`. Progress does not extend it. */
  readonly deadline: number;
  readonly onProgress?: (progress: Progress) => void;
  /** For `subscriptions/listen`: the server agreed, and the request has no time limit from then on. */
  readonly onAcknowledged?: () => void;
  /**
   * For `events/stream`: called with what the server says on the stream. Each breaks the silence, and after the first the
   * request has no total limit.
   */
  readonly onStreamNews?: (method: string, params: JsonObject) => void;
}
