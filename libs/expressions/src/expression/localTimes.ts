/**
 * Converts times of a wall clock into points in time. Where clocks are put forward some times are left out, and where
 * they are put back some come twice.
 *
 * A wall time is written as the epoch milliseconds of the same digits in UTC.
 */
import { wallClock } from './functions/wallClock.ts';

/** What a wall time means in a zone. */
export type LocalTime =
  | { readonly kind: 'once'; readonly at: number }
  /** Clocks are put back over it. */
  | { readonly kind: 'twice'; readonly first: number; readonly second: number }
  /** Clocks are put forward over it, by `by` milliseconds; `end` is the first point in time after that. */
  | { readonly kind: 'never'; readonly end: number; readonly by: number };

const hourMs = 3_600_000;

/** Offsets lie between -12 and +14 hours, so that a wall time and its point in time are at most this far apart. */
const offsetMax = 14 * hourMs;

/** Around a wall time: far enough to lie before or after a change that touches it, and near enough to see only one. */
const lookMs = offsetMax + hourMs;

/** Clocks change on whole seconds; today on whole minutes. */
const changeMs = 1_000;

/** A time without a change: between these points in time the offset is the same. */
interface Steady {
  readonly from: number;
  readonly to: number;
  readonly offsetMs: number;
}

interface ClockChange {
  /** The wall time near which it was found. */
  readonly wall: number;
  /** The first point in time with the offset `after`. */
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

/** Reads one zone; remembers where it looked last, since wall times usually come in order. */
export class LocalTimes {
  readonly #zone: string;
  #steady: Steady = { from: 0, to: 0, offsetMs: 0 };
  #change: ClockChange = { wall: -Infinity, at: 0, before: 0, after: 0 };

  /** `zone`: an IANA name that exists. */
  constructor(zone: string) {
    this.#zone = zone;
  }

  /** The wall time at a point in time. */
  wallAt(at: number): number {
    return at + this.#offset(at);
  }

  resolve(wall: number): LocalTime {
    const steady = this.#steadyAround(wall);
    if (steady !== undefined) return { kind: 'once', at: wall - steady.offsetMs };
    const { at, before, after } = this.#changeNear(wall);
    const [first, second] = [wall - before, wall - after];
    const [isBefore, isAfter] = [first < at, second >= at];
    if (isBefore && isAfter && before !== after) return { kind: 'twice', first, second };
    if (isBefore) return { kind: 'once', at: first };
    return isAfter ? { kind: 'once', at: second } : { kind: 'never', end: at, by: after - before };
  }

  #offset(at: number): number {
    return wallClock(at, this.#zone)?.offsetMs ?? 0;
  }

  /** Undefined if a change is near. */
  #steadyAround(wall: number): Steady | undefined {
    const { from, to } = this.#steady;
    if (wall - offsetMax >= from && wall + offsetMax <= to) return this.#steady;
    const [start, end] = [wall - lookMs, wall + 4 * lookMs];
    const offsetMs = this.#offset(start);
    // Looked at in steps, since clocks may change and change back within weeks.
    for (let at = start + lookMs; at <= end; at += lookMs) {
      if (this.#offset(at) === offsetMs) continue;
      if (at <= wall + lookMs) return undefined;
      this.#steady = { from: start, to: at - lookMs, offsetMs };
      return this.#steady;
    }
    this.#steady = { from: start, to: end, offsetMs };
    return this.#steady;
  }

  #changeNear(wall: number): ClockChange {
    if (Math.abs(wall - this.#change.wall) <= offsetMax) return this.#change;
    const [from, to] = [wall - lookMs, wall + lookMs];
    const [before, after] = [this.#offset(from), this.#offset(to)];
    let [low, high] = [Math.floor(from / changeMs), Math.ceil(to / changeMs)];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#offset(middle * changeMs) === after) high = middle;
      else low = middle;
    }
    this.#change = { wall, at: high * changeMs, before, after };
    return this.#change;
  }
}
