/**
 * The time that all processes share: that of Postgres. Taken now and then, and carried on by the process' own monotonic
 * clock in between, so that a wall clock that is wrong, or is set, decides nothing: no instant of a schedule, no wait, no
 * expiry, no retry.
 */
import type { Clock } from './clock.ts';

export interface SharedClockOptions {
  /** Asks Postgres what time it is, epoch milliseconds. Rejects where it is away. */
  readonly ask: () => Promise<number>;
  /** Of this process. */
  readonly own: Clock;
  /** Told when the wall clock of this process has become one that is off, in a sentence; undefined: it is right again. */
  readonly onOff: (sentence: string | undefined) => void;
}

/** The wall clock of a process may differ by so much from Postgres' before it is told, and schedules are not decided on. */
export const clockToleranceMs = 2_000;
const everyMs = 1_000;

export class SharedClock implements Clock {
  readonly #options: SharedClockOptions;
  /** Shared time when the monotonic clock was 0; undefined: Postgres has not been asked yet. */
  #zeroAt: number | undefined;
  #wasOff = false;
  #isClosed = false;
  #cancelTimer: () => void = () => undefined;

  constructor(options: SharedClockOptions) {
    this.#options = options;
  }

  /** Resolves when the time is known; from then on it is asked for every second. Rejects as `ask` does. */
  static async start(options: SharedClockOptions): Promise<SharedClock> {
    const clock = new SharedClock(options);
    await clock.measure();
    clock.#schedule();
    return clock;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer();
  }

  now(): number {
    const { own } = this.#options;
    return this.#zeroAt === undefined ? own.now() : Math.round(this.#zeroAt + own.monotonic());
  }

  monotonic(): number {
    return this.#options.own.monotonic();
  }

  after(ms: number, callback: () => void): () => void {
    return this.#options.own.after(ms, callback);
  }

  /** By how many milliseconds the wall clock of this process is ahead of the shared time; negative: behind. */
  aheadMs(): number {
    return this.#options.own.now() - this.now();
  }

  /** How far off the wall clock of this process is, in a sentence, where that is too far. */
  whatIsOff(): string | undefined {
    const aheadMs = this.aheadMs();
    if (Math.abs(aheadMs) <= clockToleranceMs) return undefined;
    const seconds = Math.round(Math.abs(aheadMs) / 1_000);
    return `The clock of this machine is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} that of Postgres; this process decides on no schedules.`;
  }

  /** Asks once. What an answer says is true to within half the time that it took. */
  async measure(): Promise<void> {
    const { ask, own, onOff } = this.#options;
    const sentAt = own.monotonic();
    const time = await ask();
    const backAt = own.monotonic();
    const zeroAt = time - (sentAt + backAt) / 2;
    const isKnown = this.#zeroAt !== undefined && Math.abs(zeroAt - this.#zeroAt) <= (backAt - sentAt) / 2;
    if (!isKnown) this.#zeroAt = zeroAt;
    const sentence = this.whatIsOff();
    if ((sentence !== undefined) === this.#wasOff) return;
    this.#wasOff = sentence !== undefined;
    onOff(sentence);
  }

  #schedule(): void {
    if (this.#isClosed) return;
    this.#cancelTimer = this.#options.own.after(everyMs, () => {
      // Without Postgres the time is carried on, and nothing can be decided anyway.
      void this.measure()
        .catch(() => undefined)
        .then(() => this.#schedule());
    });
  }
}
