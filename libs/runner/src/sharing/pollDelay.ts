/** When a worker polls next. */
import { backoffMs } from '@baton/primitives';

const everyMs = 2_000;
/** While bells fill all their slots: new runs of other callers are offered then; those that were woken are found by Poll. */
const crowdedMs = 1_000;
/** Maximum part of the time spent polling: slow queries make polls rarer, down to one every `seldomMs`. */
const pollingPart = 1 / 10;
const seldomMs = 10_000;

export const firstPollMs = everyMs;

/**
 * The delay after a poll that waited for Postgres so long, in milliseconds. `isDeaf`: bells may be missed, and runs wait for
 * the poll alone.
 */
export function afterPollMs(waitedMs: number, { isCrowded, isDeaf }: { isCrowded: boolean; isDeaf: boolean }): number {
  if (isDeaf) return isCrowded ? crowdedMs : everyMs;
  return Math.min(Math.max(isCrowded ? crowdedMs : everyMs, waitedMs / pollingPart), seldomMs);
}

/** The delay after so many polls that failed in a row. */
export const afterFailuresMs = (failures: number): number =>
  backoffMs(failures, { firstMs: everyMs, longestMs: seldomMs });
