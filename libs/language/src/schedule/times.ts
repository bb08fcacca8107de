/**
 * The times of a schedule as one text, by which a schedule of a new version is recognized: cron fields, `every 90m`,
 * `every 90m from 2026-01-01T06:00`, or `at 2026-12-24T10:00`.
 */
import { LocalTimes } from '@baton/expressions';
import { parseInstant } from '@baton/primitives';

import { durationMs } from '../document/duration.ts';

export type Times =
  | { readonly kind: 'cron'; readonly cron: string }
  /** Multiples of `everyMs` after `fromMs`; epoch milliseconds. Nothing before `fromMs`. */
  | { readonly kind: 'every'; readonly everyMs: number; readonly fromMs: number }
  | { readonly kind: 'at'; readonly atMs: number };

export const everyText = (every: string, from: string | undefined): string =>
  from === undefined ? `every ${every}` : `every ${every} from ${from}`;

export const atText = (at: string): string => `at ${at}`;

const interval = /^every (\S+)(?: from (.+))?$/;
const point = /^at (.+)$/;

/** `written`: checked before. Without `from`, an interval is counted from the beginning of 1970 in UTC. */
export function timesOf(written: string, timezone: string): Times {
  const [isEvery, every = '', from] = interval.exec(written) ?? [];
  if (isEvery !== undefined)
    return {
      kind: 'every',
      everyMs: durationMs(every) ?? Infinity,
      fromMs: from === undefined ? 0 : atOf(from, timezone),
    };
  const [isAt, at = ''] = point.exec(written) ?? [];
  return isAt === undefined ? { kind: 'cron', cron: written } : { kind: 'at', atMs: atOf(at, timezone) };
}

/** As answers show them: cron by that name, too. */
export const shownTimes = (written: string): { readonly times: string; readonly cron?: string } =>
  interval.test(written) || point.test(written) ? { times: written } : { times: written, cron: written };

const atOf = (written: string, timezone: string): number => pointInTime(written, timezone) ?? Infinity;

const localForm = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2})(:\d{2})?$/;

/** Whether the text has the form of a local time: without an offset. */
export const isLocalTime = (written: string): boolean => localForm.test(written);

/**
 * Epoch milliseconds of an RFC 3339 text, or of a local time in the zone. As for cron: a time over which clocks are put
 * forward is the end of the gap, and one that comes twice is the first. Undefined if there is no such time.
 */
export function pointInTime(written: string, timezone: string): number | undefined {
  const [isLocal, day = '', minutes = '', seconds = ':00'] = localForm.exec(written) ?? [];
  if (isLocal === undefined) return parseInstant(written);
  const wall = parseInstant(`${day}T${minutes}${seconds}Z`);
  if (wall === undefined) return undefined;
  const time = new LocalTimes(timezone).resolve(wall);
  if (time.kind === 'once') return time.at;
  return time.kind === 'twice' ? time.first : time.end;
}
