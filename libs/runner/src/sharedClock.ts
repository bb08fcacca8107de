/**
 * The time that all processes share: that of Postgres. It is measured every second and continued by the process's own
 * monotonic clock in between, so that a wrong or changed wall clock affects no schedule, wait, expiry or retry.
 */
import { delayText, unawaited } from '@baton/primitives';

import { BackgroundTask } from './backgroundTask.ts';
import type { Clock } from './ports/clock.ts';
import { UnavailableError } from './ports/journal.ts';

export interface SharedClockOptions {
  /** Returns Postgres's time, epoch milliseconds. Rejects where Postgres is unreachable. */
  readonly readTime: () => Promise<number>;
  /** The clock of this process. */
  readonly own: Clock;
  /**
   * Called with a sentence when the wall clock of this process becomes wrong; with undefined when it is right again.
   */
  readonly onWarning: (sentence: string | undefined) => void;
  /** Called with false when Postgres did not tell its time, and with true whenever it told it. */
  readonly onAnswer?: (hasAnswered: boolean) => void;
}

/** Largest difference between the wall clock of a process and Postgres's before it is reported and schedules pause. */
const clockToleranceMs = 2_000;
const everyMs = 1_000;
/** How often a process that starts asks a Postgres that does not answer; a busy one takes long for a new connection. */
const firstTries = 6;

/** A time that Postgres returned. `sentAt` and `backAt` are monotonic times of this process. */
export interface TimeReading {
  readonly sentAt: number;
  readonly backAt: number;
  /** Epoch milliseconds at some moment between `sentAt` and `backAt`. */
  readonly timeMs: number;
}

export class SharedClock implements Clock {
  readonly #options: SharedClockOptions;
  /** Shared time at monotonic 0; undefined before the first measurement. */
  #zeroAt: number | undefined;
  /** Monotonic time until which no measurement is needed. */
  #freshUntil = 0;
  #isWarning = false;
  readonly #measuring: BackgroundTask;

  constructor(options: SharedClockOptions) {
    this.#options = options;
    const run = async (): Promise<number> => {
      if (this.#freshMs <= 0) await this.measure();
      return this.#freshMs > 0 ? this.#freshMs : everyMs;
    };
    // Without Postgres the last measurement stays in use; no run can be decided then anyway. `onAnswer` tells of it.
    const onTrouble = (): void => undefined;
    this.#measuring = new BackgroundTask({
      name: 'the clock',
      clock: options.own,
      run,
      awayMs: () => everyMs,
      onTrouble,
    });
  }

  /**
   * Resolves after the first measurement and repeats it every second, unless `adopt` is called as often. Rejects with the
   * errors of `readTime`; with `UnavailableError` only when it came for all of six tries, a second apart.
   */
  static async start(options: SharedClockOptions): Promise<SharedClock> {
    const clock = new SharedClock(options);
    await clock.#measureFirst();
    clock.#measuring.start(everyMs);
    return clock;
  }

  async close(): Promise<void> {
    unawaited(this.#measuring.close());
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

  /** Milliseconds by which the wall clock of this process is ahead of the shared time; negative: behind. */
  aheadMs(): number {
    return this.#options.own.now() - this.now();
  }

  /** Says how far the wall clock of this process is off; undefined while that is within the tolerance. */
  warning(): string | undefined {
    const aheadMs = this.aheadMs();
    if (Math.abs(aheadMs) <= clockToleranceMs) return undefined;
    return `The clock of this machine is ${delayText(Math.round(Math.abs(aheadMs) / 1_000) * 1_000)} ${aheadMs > 0 ? 'ahead of' : 'behind'} that of Postgres; this process decides on no schedules.`;
  }

  /** Measures once. The answer is accurate to half of its round trip. */
  async measure(): Promise<void> {
    const { readTime, own, onAnswer } = this.#options;
    const sentAt = own.monotonic();
    const timeMs = await readTime().catch((error: unknown) => {
      onAnswer?.(false);
      throw error;
    });
    const backAt = own.monotonic();
    this.#setFrom({ sentAt, backAt, timeMs });
    this.#freshUntil = Math.max(this.#freshUntil, backAt + everyMs);
  }

  /**
   * Uses a time that came with the answer to another query. The clock measures again only after two seconds without one.
   */
  adopt(reading: TimeReading): void {
    this.#setFrom(reading);
    this.#freshUntil = reading.backAt + 2 * everyMs;
  }

  async #measureFirst(): Promise<void> {
    for (let left = firstTries; ; left -= 1) {
      try {
        return await this.measure();
      } catch (error) {
        if (!(error instanceof UnavailableError) || left === 1) throw error;
        await new Promise<void>((resolve) => this.#options.own.after(everyMs, resolve));
      }
    }
  }

  #setFrom({ sentAt, backAt, timeMs }: TimeReading): void {
    const { onWarning, onAnswer } = this.#options;
    onAnswer?.(true);
    const zeroAt = timeMs - (sentAt + backAt) / 2;
    const isKnown = this.#zeroAt !== undefined && Math.abs(zeroAt - this.#zeroAt) <= (backAt - sentAt) / 2;
    if (!isKnown) this.#zeroAt = zeroAt;
    const sentence = this.warning();
    if ((sentence !== undefined) === this.#isWarning) return;
    this.#isWarning = sentence !== undefined;
    onWarning(sentence);
  }

  get #freshMs(): number {
    return this.#freshUntil - this.#options.own.monotonic();
  }
}
