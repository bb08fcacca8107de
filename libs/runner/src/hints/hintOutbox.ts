/**
 * Collects outgoing hints and sends the newest of each run. Urgent hints are sent at once, or shortly after the previous
 * ones when there are many; others wait a little and are sent together, since each send costs every listener a message.
 */
import type { Hint, Urgency } from '../ports/bus.ts';

const waitMs = { now: 2, soon: 10 };

export class HintOutbox {
  readonly #send: (hints: readonly Hint[]) => void;
  #waiting = new Map<string, Hint>();
  /** When urgent hints were last sent. */
  #sentAt = -Infinity;
  #hasUrgent = false;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Infinity;
  #isSendingSoon = false;

  /** `send` must not throw. */
  constructor(send: (hints: readonly Hint[]) => void) {
    this.#send = send;
  }

  put(hint: Hint, urgency: Urgency): void {
    const before = this.#waiting.get(hint.runId);
    this.#waiting.set(hint.runId, before === undefined ? hint : merged(before, hint));
    if (urgency === 'now') this.#hasUrgent = true;
    if (this.#isSendingSoon) return;
    const now = performance.now();
    const dueAt = urgency === 'now' ? this.#sentAt + waitMs.now : now + waitMs.soon;
    if (dueAt <= now) this.#sendSoon();
    else if (dueAt < this.#dueAt) this.#sendAt(dueAt, dueAt - now);
  }

  /** Drops the hints that are not sent yet: hints may be lost. */
  close(): void {
    clearTimeout(this.#timer);
    this.#waiting.clear();
  }

  #sendAt(dueAt: number, ms: number): void {
    clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => this.#sendAll(), ms);
  }

  /** Sends these hints with all others that are published in this turn of the event loop. */
  #sendSoon(): void {
    this.#isSendingSoon = true;
    setImmediate(() => this.#sendAll());
  }

  #sendAll(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#dueAt = Infinity;
    this.#isSendingSoon = false;
    if (this.#waiting.size === 0) return;
    if (this.#hasUrgent) this.#sentAt = performance.now();
    this.#hasUrgent = false;
    const hints = [...this.#waiting.values()];
    this.#waiting = new Map();
    this.#send(hints);
  }
}

/** Merges two hints of one run: the higher position, and every audience that either has. */
function merged(one: Hint, other: Hint): Hint {
  const { isOwn: _isOwn, ...further } = one.seq > other.seq ? one : other;
  return one.isOwn === true && other.isOwn === true ? { ...further, isOwn: true } : further;
}
