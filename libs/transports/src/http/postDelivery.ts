/** The delivery state of one posted request. */
import { retryAfterMs } from './httpFailure.ts';
import type { RequestObserver } from './httpRequest.ts';

export class PostDelivery implements RequestObserver {
  readonly abort = new AbortController();
  isSent = false;
  /** The request is on a connection. */
  isOpen = false;
  /** The answer is one body, not a stream of events. */
  isWhole = false;
  answeredAt = Number.POSITIVE_INFINITY;
  retryAfterMs: number | undefined;
  error: Error | undefined;

  onSent(): void {
    this.isSent = true;
    this.isOpen = true;
  }

  onAnswer(_: number, headers: Headers): void {
    this.retryAfterMs = retryAfterMs(headers.get('retry-after'), Date.now());
  }

  onEnd(error: Error | undefined): void {
    this.isOpen = false;
    this.error = error;
  }
}
