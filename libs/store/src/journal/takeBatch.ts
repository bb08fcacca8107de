/**
 * What goes into one statement of the writer. Small appends go before large ones, so that a run of three steps does not
 * wait for the ten thousand items of another; every second batch takes the large ones, too.
 */
import type { PendingAppend } from './pendingAppend.ts';

/** One batch at most, unless a single append is larger. */
const most = { events: 2_000, bytes: 8 * 1024 * 1024 };
/** An append with more is large. */
const small = { events: 64, bytes: 256 * 1024 };

type WaitingAppend = Pick<PendingAppend, 'owner' | 'runId' | 'bytes'> & { readonly events: readonly unknown[] };

const isSmall = ({ events, bytes }: WaitingAppend): boolean => events.length <= small.events && bytes <= small.bytes;

/** Removes the next batch from what waits: at least one append, those of each run in their order. */
export function batchTaker(): <Append extends WaitingAppend>(waiting: Append[]) => readonly Append[] {
  let havePassed = false;
  return (waiting) => {
    const smallOnes = havePassed || !waiting.some(isSmall) ? [] : take(waiting, isSmall);
    havePassed = smallOnes.length > 0 && !waiting.every(isSmall);
    return smallOnes.length > 0 ? smallOnes : take(waiting, () => true);
  };
}

/** Takes at most one owner for each run: a second one must find the first one's events, and lose. */
function take<Append extends WaitingAppend>(waiting: Append[], fits: (append: Append) => boolean): readonly Append[] {
  const batch: Append[] = [];
  const later: Append[] = [];
  const owners = new Map<string, Append['owner']>();
  /** Runs of which an append stays: those after it stay, too. */
  const staying = new Set<string>();
  let events = 0;
  let bytes = 0;
  let seen = 0;
  for (const pending of waiting) {
    if (events >= most.events || bytes >= most.bytes) break;
    seen += 1;
    const owner = owners.get(pending.runId) ?? pending.owner;
    if (owner !== pending.owner || staying.has(pending.runId) || !fits(pending)) {
      if (!fits(pending)) staying.add(pending.runId);
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
