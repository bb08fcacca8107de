/** Computes which times of a schedule fire now, and which were missed. Pure. */
import { instantsAfter } from '@baton/language';
import type { FiringCause, Schedule } from '@baton/store';

interface DueInstant {
  readonly instant: number;
  readonly cause: Extract<FiringCause, 'due' | 'late'>;
}

export interface DueInstants {
  readonly instants: readonly DueInstant[];
  /** The first time after the due ones; undefined if there is none. */
  readonly nextAt: number | undefined;
  /** Whether times were missed that are not started later. */
  readonly isMissed: boolean;
}

/** A time that is handled at most this much later counts as on time, since a machine may be busy. */
const punctualMs = 60_000;
/** Times per pass; more follow in the next pass. */
const batch = 100;

type Timing = Pick<Schedule, 'times' | 'timezone' | 'catchUp' | 'catchUpWindowMs' | 'nextAt'>;

export function dueInstants(schedule: Timing, nowMs: number): DueInstants {
  const { nextAt = Infinity, catchUp, catchUpWindowMs } = schedule;
  const missedFrom = Math.max(nextAt, catchUp === 'none' ? nowMs - punctualMs : nowMs - catchUpWindowMs);
  const from = catchUp === 'latest' ? latestFrom(schedule, missedFrom, nowMs) : Math.min(missedFrom, nowMs + 1);
  const instants: DueInstant[] = [];
  const isMissed = firstFrom(schedule, nextAt) < Math.min(from, nowMs);
  for (const instant of instantsAfter(schedule, from - 1)) {
    if (instant > nowMs || instants.length === batch) return { instants, nextAt: instant, isMissed };
    instants.push({ instant, cause: instant < nowMs - punctualMs ? 'late' : 'due' });
  }
  return { instants, nextAt: undefined, isMissed };
}

/** The start of the range in which to look for the latest time, or for those on time. */
function latestFrom(schedule: Timing, missedFrom: number, nowMs: number): number {
  const punctualFrom = Math.max(missedFrom, nowMs - punctualMs);
  if (firstFrom(schedule, punctualFrom) <= nowMs) return punctualFrom;
  return firstFrom(schedule, missedFrom) <= nowMs ? lastUntil(schedule, missedFrom, nowMs) : nowMs + 1;
}

/** Bisects: counting each second of a month would take too long. */
function lastUntil(schedule: Timing, from: number, nowMs: number): number {
  let [low, high] = [from, nowMs + 1];
  while (high - low > 1_000) {
    const middle = Math.floor((low + high) / 2);
    if (firstFrom(schedule, middle) <= nowMs) low = middle;
    else high = middle;
  }
  return firstFrom(schedule, low);
}

const firstFrom = (schedule: Timing, from: number): number => {
  const [first = Infinity] = instantsAfter(schedule, from - 1).take(1);
  return first;
};
