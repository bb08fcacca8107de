/** One request of a session. */
import type { JsonObject } from '@baton/language';
import type { Progress } from '@baton/runner';

export interface RequestOptions {
  /** The run that the call belongs to; undefined where it belongs to none. */
  readonly runId?: string;
  readonly method: string;
  readonly params: JsonObject;
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Over HTTP only. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Asked right before it is sent; false: it is not. */
  readonly beginSend?: (() => boolean) | undefined;
  /** Silence of this length ends it; progress breaks the silence. */
  readonly idleMs: number;
  /** On the clock of `performance.now()`. Progress does not extend it. */
  readonly deadline: number;
  readonly onProgress?: (progress: Progress) => void;
}
