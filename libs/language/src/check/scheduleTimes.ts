/** Checks `every`, `from` and `at` of triggers. */
import { instantFault, quoted } from '@baton/expressions';

import { isLocalTime, pointInTime } from '../schedule/times.ts';
import type { CheckRun } from './checkRun.ts';

const expected = 'RFC 3339 such as 2026-12-24T09:00:00Z, or a local time such as 2026-12-24T10:00';

/** `timezone`: one that exists. False if the text is no point in time. */
export function checkPointInTime({ report }: CheckRun, written: string, timezone: string, pointer: string): boolean {
  if (pointInTime(written, timezone) !== undefined) return true;
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(written);
  report({
    code: 'bad-instant',
    pointer,
    message: isDay ? `${quoted(written)} is a day, and no point in time.` : `${faultOf(written)}.`,
    expected,
    found: written,
    ...(isDay ? { hint: `${written}T00:00` } : {}),
  });
  return false;
}

/** Of a local time, what is wrong with its day or its clock. */
const faultOf = (written: string): string => instantFault(isLocalTime(written) ? localAsUtc(written) : written);

const localAsUtc = (written: string): string => `${written}${/:\d{2}:\d{2}$/.test(written) ? '' : ':00'}Z`;

/** A time that is over when the file is checked fires nothing. Where the time is not known, nothing is said. */
export function checkNotPast({ report, nowMs }: CheckRun, written: string, timezone: string, pointer: string): void {
  const at = pointInTime(written, timezone);
  if (nowMs === undefined || at === undefined || at > nowMs) return;
  report({
    code: 'schedule-past',
    pointer,
    message: `${quoted(written)} is over: this trigger starts no run any more.`,
    expected: `a time after ${new Date(nowMs).toISOString()}`,
    found: written,
  });
}

/** A zone that nothing is read in. */
export function checkZoneUse(
  { report }: CheckRun,
  {
    key,
    written,
    timezone,
  }: { readonly key: 'at' | 'every'; readonly written: string | undefined; readonly timezone: string | undefined },
  pointer: string,
): void {
  if (timezone === undefined || (written !== undefined && isLocalTime(written))) return;
  const message =
    key === 'at'
      ? 'The time has an offset of its own, and needs no `timezone`.'
      : 'An interval is counted in elapsed time, and needs a `timezone` only for a local time in `from`.';
  report({ code: 'unused-key', pointer: `${pointer}/timezone`, at: 'key', message });
}
