/** Limits how often the progress of a call is appended, however often its server reports it. */
import type { RunEvent } from '@baton/engine';
import { limits } from '@baton/expressions';

import type { Progress } from '../ports/calls.ts';
import type { Clock } from '../ports/clock.ts';

interface NotedProgress {
  readonly attempt: number;
  latest: Progress | undefined;
  takenAt: number;
}

export class ProgressLog {
  readonly #clock: Clock;
  readonly #onReady: () => void;
  readonly #byPath = new Map<string, NotedProgress>();
  #cancelTimer: (() => void) | undefined;

  /** `onReady` is called when there is progress to take. */
  constructor(clock: Clock, onReady: () => void) {
    this.#clock = clock;
    this.#onReady = onReady;
  }

  note(path: string, attempt: number, progress: Progress): void {
    const before = this.#byPath.get(path);
    const noted = before?.attempt === attempt ? before : { attempt, latest: undefined, takenAt: -Infinity };
    noted.latest = progress;
    this.#byPath.set(path, noted);
    const waitMs = noted.takenAt + limits.progress.intervalMs - this.#clock.monotonic();
    if (waitMs <= 0) this.#onReady();
    else this.#cancelTimer ??= this.#clock.after(waitMs, () => this.#ring());
  }

  forget(path: string): void {
    this.#byPath.delete(path);
  }

  /** Returns the latest progress of every call that has not appended any for an interval. */
  take(at: number): RunEvent[] {
    const nowMs = this.#clock.monotonic();
    const events: RunEvent[] = [];
    for (const [path, noted] of this.#byPath) {
      if (noted.latest === undefined || noted.takenAt + limits.progress.intervalMs > nowMs) continue;
      const { progress, total, message } = noted.latest;
      events.push({
        type: 'step.progressed',
        at,
        path,
        attempt: noted.attempt,
        progress,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message: message.slice(0, limits.progress.messageCharacters) }),
      });
      noted.latest = undefined;
      noted.takenAt = nowMs;
    }
    return events;
  }

  close(): void {
    this.#cancelTimer?.();
    this.#byPath.clear();
  }

  #ring(): void {
    this.#cancelTimer = undefined;
    this.#onReady();
  }
}
