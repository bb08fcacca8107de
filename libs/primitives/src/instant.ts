/** Reads points in time as RFC 3339 (section 5.6) writes them. */

const written = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/** Longer texts are no points in time. */
const charactersMax = 64;

/**
 * Epoch milliseconds; undefined if the text has another form, or names no day of the calendar or no time of the clock.
 * `Date.parse` reads many more texts, some of them in the time zone of the process, and 30 February as 2 March.
 */
export function parseInstant(text: string): number | undefined {
  const [, ...parts] = written.exec(text.slice(0, charactersMax + 1)) ?? [];
  if (parts.length === 0) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.map(Number);
  const ms = Number((parts[6] ?? '').padEnd(3, '0').slice(0, 3));
  const [sign, offsetHour = '0', offsetMinute = '0'] = parts.slice(7);
  const isClock = hour < 24 && minute < 60 && second < 60 && Number(offsetHour) < 24 && Number(offsetMinute) < 60;
  const local = utcMs(year, month, day);
  if (!isClock || local === undefined) return undefined;
  const offset = (sign === '-' ? -1 : 1) * (Number(offsetHour) * 60 + Number(offsetMinute));
  return local + ((hour * 60 + minute - offset) * 60 + second) * 1_000 + ms;
}

/** The midnight in UTC with which a day of the calendar begins; undefined if there is no such day. `month` from 1. */
export function utcMs(year: number, month: number, day: number): number | undefined {
  const date = new Date(0);
  // `Date.UTC` reads the years 0 to 99 as those of the last century.
  date.setUTCFullYear(year, month - 1, day);
  const isSame = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isSame ? date.getTime() : undefined;
}
