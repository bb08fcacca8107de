/** Maps instants to shares of the width; shortens long stretches without activity. */
import { type TracedStep, isControl } from '@baton/engine';
import { durationText } from '@baton/primitives';

export interface TimeScale {
  /** From 0 to 1. */
  readonly share: (ms: number) => number;
  readonly ticks: readonly { readonly share: number; readonly label: string }[];
}

/** The largest share of the width for one pause. */
const pauseShare = 0.15;
const shortestPauseMs = 5_000;
const tickCount = 5;
/** Labels further right would overflow the axis. */
const lastShare = 0.9;
const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const roundMs: readonly number[] = [
  ...[1, 10, 100].flatMap((ms) => [ms, 2 * ms, 5 * ms]),
  ...[1, 2, 5, 10, 15, 20, 30].map((seconds) => seconds * secondMs),
  ...[1, 2, 5, 10, 15, 20, 30].map((minutes) => minutes * minuteMs),
  ...[1, 2, 6, 12].map((hours) => hours * hourMs),
  ...[1, 2, 5, 10, 20, 50].map((days) => 24 * days * hourMs),
];
/** How far a tick may move from its place to stand at a round time, as a share of the width. */
const reach = 0.06;

interface Stretch {
  readonly from: number;
  readonly to: number;
  /** Drawn milliseconds. */
  readonly length: number;
}

export function scaleOf(steps: readonly TracedStep[], from: number, nowMs: number): TimeScale {
  const to = Math.max(nowMs, from + 1);
  const stretches = stretchesOf(busyTimes(steps, to), from, to);
  const total = stretches.reduce((sum, { length }) => sum + length, 0);
  const share = (ms: number): number => {
    let drawn = 0;
    for (const stretch of stretches) {
      if (ms >= stretch.to) drawn += stretch.length;
      else {
        const part = Math.max(0, ms - stretch.from) / Math.max(1, stretch.to - stretch.from);
        return Math.min(1, (drawn + part * stretch.length) / total);
      }
    }
    return 1;
  };
  // A single stretch is even at any drawn length.
  const isEven = stretches.length === 1 || total === to - from;
  return { share, ticks: isEven ? evenTicks(to - from) : unevenTicks({ stretches, total, from, share }) };
}

/** Ticks at multiples of one round time, for a scale without shortened pauses. */
function evenTicks(total: number): TimeScale['ticks'] {
  const step = roundMs.find((ms) => ms >= total / tickCount) ?? total;
  return Array.from({ length: Math.ceil(total / step) }, (_, at) => ({
    share: (at * step) / total,
    label: at === 0 ? '0' : durationText(at * step),
  })).filter(({ share }) => share <= lastShare);
}

/** Times with activity, ordered and merged. */
function busyTimes(steps: readonly TracedStep[], nowMs: number): (readonly [number, number])[] {
  const times = steps.flatMap((step) =>
    step.awaiting !== undefined || isControl(step)
      ? []
      : step.attempts.map(({ startedAt, endedAt }) => [startedAt, endedAt ?? nowMs] as const),
  );
  const merged: [number, number][] = [];
  for (const [start, end] of times.toSorted(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

function stretchesOf(busy: readonly (readonly [number, number])[], from: number, to: number): Stretch[] {
  const idleFrom = Math.max(shortestPauseMs, (to - from) * pauseShare);
  const stretches: Stretch[] = [];
  let at = from;
  for (const [start, end] of [...busy, [to, to] as const]) {
    const begin = Math.min(Math.max(start, at), to);
    if (begin - at > idleFrom) stretches.push({ from: at, to: begin, length: idleFrom });
    else if (begin > at) stretches.push({ from: at, to: begin, length: begin - at });
    const over = Math.min(Math.max(end, begin), to);
    if (over > begin) stretches.push({ from: begin, to: over, length: over - begin });
    at = Math.max(at, over);
  }
  return stretches;
}

interface UnevenScale {
  readonly stretches: readonly Stretch[];
  readonly total: number;
  readonly from: number;
  readonly share: (ms: number) => number;
}

/** Ticks at about even distances, each at the roundest time near its place. */
function unevenTicks({ stretches, total, from, share }: UnevenScale): TimeScale['ticks'] {
  const msAt = (place: number): number => {
    let left = place * total;
    const stretch = stretches.find(({ length }) => {
      if (left <= length) return true;
      left -= length;
      return false;
    });
    if (stretch === undefined) return 0;
    return stretch.from + (left / stretch.length) * (stretch.to - stretch.from) - from;
  };
  const times = Array.from({ length: tickCount }, (_, at) => at / tickCount).map((place) =>
    place === 0 ? 0 : roundestIn(msAt(place - reach), msAt(place + reach)),
  );
  return [...new Set(times)].map((ms) => ({ share: share(from + ms), label: ms === 0 ? '0' : durationText(ms) }));
}

/** The multiple of the largest round time between these two; of several, the one in the middle. */
function roundestIn(fromMs: number, toMs: number): number {
  const middle = (fromMs + toMs) / 2;
  for (const step of roundMs.toReversed()) {
    const nearest = Math.round(middle / step) * step;
    if (nearest > 0 && nearest >= fromMs && nearest <= toMs) return nearest;
  }
  return Math.round(middle);
}
