/**
 * When a schedule fires. Independent of the starting instant, so that all processes agree.
 *
 * When clocks are put forward over an instant, it fires right after the gap. When they are put back, an instant at a
 * fixed time fires once, and an interval of minutes continues through the repeated hour.
 */
import { Cron } from 'croner';

export interface Recurrence {
  /** Five or six fields, checked before. */
  readonly cron: string;
  /** IANA name. */
  readonly timezone: string;
}

/** Epoch milliseconds of the instants after `afterMs`, one by one. Ends if there are no more. */
export function* instantsAfter({ cron, timezone }: Recurrence, afterMs: number): Generator<number, void> {
  const pattern = new Cron(cron, { paused: true, timezone, mode: '5-or-6-parts' });
  for (let after = afterMs; ;) {
    const next = pattern.nextRun(new Date(after))?.getTime();
    if (next === undefined) return;
    // An earlier instant would cause an endless loop.
    if (next > after) yield next;
    after = Math.max(next, after + 1);
  }
}
