/** The local time at an instant, by the runtime's time zone data. */

export interface WallClock {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
  /** Sunday is 0. */
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
  /** Rounded: old local times were off by seconds, too. */
  readonly offsetMinutes: number;
  readonly offsetMs: number;
}

/** Making a format costs a hundred times as much as using it; there are some 600 zones. */
const formats = new Map<string, Intl.DateTimeFormat>();
const formatsMax = 600;

/** `zone` may be an offset, as in `-02:30`. Undefined where there is no such zone. */
export function wallClock(ms: number, zone: string): WallClock | undefined {
  const [, sign, hours, minutes] = /^([+-]?)(\d{2}):(\d{2})$/.exec(zone) ?? [];
  if (hours !== undefined) {
    const offsetMinutes = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
    const shown = wallClock(ms + offsetMinutes * 60_000, 'UTC');
    return shown && { ...shown, offsetMinutes, offsetMs: offsetMinutes * 60_000 };
  }
  const format = formatOf(zone);
  if (format === undefined) return undefined;
  const parts: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(ms)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const millisecond = ((ms % 1_000) + 1_000) % 1_000;
  const asUtc = new Date(0);
  asUtc.setUTCFullYear(year, month - 1, day);
  asUtc.setUTCHours(hour, minute, second, millisecond);
  return {
    year,
    month,
    day,
    weekday: asUtc.getUTCDay(),
    hour,
    minute,
    second,
    millisecond,
    offsetMinutes: Math.round((asUtc.getTime() - ms) / 60_000),
    offsetMs: asUtc.getTime() - ms,
  };
}

/** Undefined where there is no zone of that name. Offsets such as +02:00 are no zones. */
export function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(zone)) return undefined;
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'iso8601',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    if (formats.size < formatsMax) formats.set(zone, format);
    return format;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
