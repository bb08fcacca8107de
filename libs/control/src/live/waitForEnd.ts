import type { RunEvent } from '@baton/engine';
import { Latch } from '@baton/primitives';
import type { Clock, Journal } from '@baton/runner';

import type { RunWatches } from './watches.ts';

export interface WaitOptions<Ended> {
  readonly runId: string;
  readonly forMs: number;
  /** The run may have ended already: look before waiting. */
  readonly mayHaveEnded: boolean;
  /** Aborted when the client no longer waits. */
  readonly signal: AbortSignal;
  /** Undefined if the run has not ended. Rejects with `UnavailableError`. */
  readonly look: () => Promise<Ended | undefined>;
  readonly watches: RunWatches;
  readonly clock: Clock;
}

/**
 * Resolves to what `look` finds if the run ends in time, and before this process stops; else undefined. Looks when a hint says that the run has ended,
 * and now and then, since hints may be lost. Rejects with `UnavailableError`.
 */
export async function waitForEnd<Ended>(options: WaitOptions<Ended>): Promise<Ended | undefined> {
  const { runId, forMs, mayHaveEnded, signal, look, watches, clock } = options;
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
  const forget = watches.untilStop(giveUp);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    const before = mayHaveEnded ? await look() : undefined;
    if (before !== undefined) return before;
    for (;;) {
      await latch.wait();
      if (isTimeUp) return undefined;
      const ended = await look();
      if (ended !== undefined) return ended;
    }
  } finally {
    unwatch();
    cancelTimer();
    forget();
    signal.removeEventListener('abort', giveUp);
  }
}

/** Looks for the end in the journal: finds the whole journal, and reads each event once. */
export function journalOf(runId: string, journal: Journal): () => Promise<readonly RunEvent[] | undefined> {
  const events: RunEvent[] = [];
  return async () => {
    const opened = await journal.open(runId, events.length);
    events.push(...(opened?.events ?? []));
    return events.at(-1)?.type === 'run.finished' ? events : undefined;
  };
}
