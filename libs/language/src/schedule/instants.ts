/**
 * When a schedule fires. The same wherever it is asked from: two processes that begin at different instants agree.
 *
 * Where clocks are put forward over an instant, it comes right after the gap; where they are put back, an instant at a
 * fixed time comes once, and one that is meant every so many minutes goes on every so many minutes.
 */
import { Cron } from 'croner';

export interface Recurrence {
  /** Five or six fields, checked before. */
  readonly cron: string;
  /** IANA name. */
  readonly timezone: string;
}

/** Epoch milliseconds of the instants after `afterMs`, one by one. Ends where there are no more. */
export function* instantsAfter({ cron, timezone }: Recurrence, afterMs: number): Generator<number, void> {
  const pattern = new Cron(cron, { paused: true, timezone, mode: '5-or-6-parts' });
  for (let after = afterMs; ;) {
    const next = pattern.nextRun(new Date(after))?.getTime();
    if (next === undefined) return;
    // An instant before the one asked from would be an endless loop.
    if (next > after) yield next;
    after = Math.max(next, after + 1);
  }
}
