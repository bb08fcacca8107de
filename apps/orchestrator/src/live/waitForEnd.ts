import type { RunEvent } from '@baton/engine';
import { Latch } from '@baton/primitives';
import type { Clock, Journal } from '@baton/runner';

import type { RunWatches } from './watches.ts';

export interface WaitOptions {
  readonly runId: string;
  readonly forMs: number;
  /** The run may have ended already: look before waiting. */
  readonly isOld: boolean;
  /** Aborted when the client no longer waits. */
  readonly signal: AbortSignal;
  readonly journal: Journal;
  readonly watches: RunWatches;
  readonly clock: Clock;
}

/**
 * Resolves to the whole journal if the run ends in time; else undefined. Reads it when a hint says that the run has
 * ended, and now and then, since hints may be lost. Rejects with `UnavailableError`.
 */
export async function waitForEnd(options: WaitOptions): Promise<readonly RunEvent[] | undefined> {
  const { runId, forMs, isOld, signal, journal, watches, clock } = options;
  const latch = new Latch();
  let isTimeUp = signal.aborted;
  const giveUp = (): void => {
    isTimeUp = true;
    latch.raise();
  };
  const unwatch = watches.watch(runId, 1, (mayBeOver) => {
    if (mayBeOver) latch.raise();
  });
  const cancelTimer = clock.after(forMs, giveUp);
  signal.addEventListener('abort', giveUp, { once: true });
  const events: RunEvent[] = [];
  try {
    if (isOld) latch.raise();
    for (;;) {
      await latch.wait();
      if (isTimeUp) return undefined;
      const opened = await journal.open(runId, events.length);
      events.push(...(opened?.events ?? []));
      if (events.at(-1)?.type === 'run.finished') return events;
    }
  } finally {
    unwatch();
    cancelTimer();
    signal.removeEventListener('abort', giveUp);
  }
}
