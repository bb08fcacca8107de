/**
 * Selects the appends for one statement of the writer. Small appends go before large ones, so that a run of three steps
 * does not wait for the ten thousand items of another; every second batch takes the large ones, too.
 */
import type { PendingAppend } from './pendingAppend.ts';

/** Limits of one batch, unless a single append is larger. */
const batchMax = { events: 2_000, bytes: 8 * 1024 * 1024 };
/** Limits of a small append. */
const smallMax = { events: 64, bytes: 256 * 1024 };

type WaitingAppend = Pick<PendingAppend, 'owner' | 'runId' | 'bytes'> & { readonly events: readonly unknown[] };

const isSmall = ({ events, bytes }: WaitingAppend): boolean =>
  events.length <= smallMax.events && bytes <= smallMax.bytes;

/** Removes the next batch from `waiting`: at least one append; those of each run stay in order. */
export function batchTaker(): <Append extends WaitingAppend>(waiting: Append[]) => readonly Append[] {
  let wereSmallFirst = false;
  return (waiting) => {
    const smallOnes = wereSmallFirst || !waiting.some(isSmall) ? [] : take(waiting, isSmall);
    wereSmallFirst = smallOnes.length > 0 && !waiting.every(isSmall);
    return smallOnes.length > 0 ? smallOnes : take(waiting, () => true);
  };
}

/** Takes appends of at most one owner for each run: a second owner must lose to the events of the first. */
function take<Append extends WaitingAppend>(waiting: Append[], fits: (append: Append) => boolean): readonly Append[] {
  const batch: Append[] = [];
  const later: Append[] = [];
  const owners = new Map<string, Append['owner']>();
  /** Runs with an append that was not taken, so that their later appends are not taken either. */
  const skippedRuns = new Set<string>();
  let events = 0;
  let bytes = 0;
  let seen = 0;
  for (const pending of waiting) {
    if (events >= batchMax.events || bytes >= batchMax.bytes) break;
    seen += 1;
    const owner = owners.get(pending.runId) ?? pending.owner;
    if (owner !== pending.owner || skippedRuns.has(pending.runId) || !fits(pending)) {
      if (!fits(pending)) skippedRuns.add(pending.runId);
      later.push(pending);
      continue;
    }
    owners.set(pending.runId, owner);
    batch.push(pending);
    events += pending.events.length;
    bytes += pending.bytes;
  }
  waiting.splice(0, seen, ...later);
  return batch;
}
