/**
 * When a schedule fires. Independent of the starting instant, so that all processes agree.
 *
 * When clocks are put forward over a time, it fires right after the gap; several times in one gap fire once. When they
 * are put back, a fixed time fires once, the first time, and an interval of minutes or hours continues through the
 * repeated hour.
 */
import { LocalTimes } from '@baton/expressions';
import { Cron } from 'croner';

import { timesOf } from './times.ts';

export interface Recurrence {
  /** Cron fields, an interval or a point in time, as `times.ts` writes them; checked before. */
  readonly times: string;
  /** IANA name. */
  readonly timezone: string;
}

/** Epoch milliseconds of the instants after `afterMs`, one by one. Ends if there are no more. */
export function* instantsAfter({ times: written, timezone }: Recurrence, afterMs: number): Generator<number, void> {
  const times = timesOf(written, timezone);
  switch (times.kind) {
    case 'every':
      return yield* multiplesAfter(times, afterMs);
    case 'at':
      if (times.atMs > afterMs && times.atMs <= lastMs) yield times.atMs;
      return;
    case 'cron':
      yield* cronInstantsAfter(times.cron, timezone, afterMs);
  }
}

/** The last point in time that a `Date` holds. */
const lastMs = 8_640_000_000_000_000;

/** Each is computed from the first one, so that nothing drifts. */
function* multiplesAfter(
  { everyMs, fromMs }: { readonly everyMs: number; readonly fromMs: number },
  afterMs: number,
): Generator<number, void> {
  for (let n = Math.max(0, Math.floor((afterMs - fromMs) / everyMs) + 1); ; n += 1) {
    const at = fromMs + n * everyMs;
    if (!(at <= lastMs)) return;
    yield at;
  }
}

function* cronInstantsAfter(cron: string, timezone: string, afterMs: number): Generator<number, void> {
  const pattern = new CronPattern(cron);
  const times = new LocalTimes(timezone);
  /** Second passes through an hour that is repeated. */
  const later: number[] = [];
  let last = afterMs;
  for (const wall of pattern.wallTimesAfter(wallBefore(times, afterMs))) {
    const time = times.resolve(wall);
    const first = firstOf(time, wall, pattern);
    if (first === undefined) continue;
    for (let next = later[0]; next !== undefined && next < first; next = later[0]) {
      later.shift();
      if (next > last) yield (last = next);
    }
    if (first > last) yield (last = first);
    if (time.kind === 'twice' && pattern.continues) later.push(time.second);
  }
  for (const next of later) if (next > last) yield (last = next);
}

/** The wall time after which to look: where an hour is repeated, its second pass comes after all of the first. */
function wallBefore(times: LocalTimes, afterMs: number): number {
  const wall = times.wallAt(afterMs);
  const time = times.resolve(wall);
  return time.kind === 'twice' ? wall - (time.second - time.first) : wall;
}

/** Undefined: the time does not exist, and nothing is lost thereby. */
function firstOf(time: ReturnType<LocalTimes['resolve']>, wall: number, pattern: CronPattern): number | undefined {
  if (time.kind === 'once') return time.at;
  if (time.kind === 'twice') return time.first;
  // An hourly job runs an hour after the time before the gap, and a daily one a day after a day that was left out.
  const goesOn = pattern.isHourly || time.by >= dayMs;
  return goesOn && pattern.has(wall + time.by) ? undefined : time.end;
}

const dayMs = 86_400_000;

/** The times on a wall clock that cron fields name. As in `LocalTimes`, they are written as if they were in UTC. */
class CronPattern {
  readonly #cron: Cron;
  /** Every hour has times. */
  readonly isHourly: boolean;
  /** It fires in intervals, which a repeated hour does not interrupt. */
  readonly continues: boolean;

  constructor(pattern: string) {
    this.#cron = new Cron(pattern, { paused: true, utcOffset: 0, mode: '5-or-6-parts' });
    const fields = pattern.trim().split(/\s+/);
    const [seconds = '0', minutes = '', hours = ''] = fields.length === 5 ? ['0', ...fields] : fields;
    this.isHourly = new Set(valuesOf(hours, 24)).size === 24;
    this.continues = this.isHourly || /[*/]/.test(seconds + minutes);
  }

  *wallTimesAfter(wall: number): Generator<number, void> {
    for (let after = wall; ;) {
      const next = this.#cron.nextRun(new Date(after))?.getTime();
      if (next === undefined) return;
      // An earlier time would cause an endless loop.
      if (next > after) yield next;
      after = Math.max(next, after + 1);
    }
  }

  has(wall: number): boolean {
    return this.#cron.match(new Date(wall));
  }
}

/** The numbers of a field without names. */
function valuesOf(field: string, count: number): number[] {
  return field.split(',').flatMap((part) => {
    const [span = '', step = '1'] = part.split('/');
    const [from = '', to = from] = span === '*' ? ['0', String(count - 1)] : span.split('-');
    const size = Math.floor((Number(to) - Number(from)) / Number(step)) + 1;
    return Array.from({ length: Math.max(0, Math.min(size, count)) }, (_, i) => Number(from) + i * Number(step));
  });
}
