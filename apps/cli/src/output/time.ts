import { relativeText } from '@baton/primitives';

import type { Output } from './output.ts';

/** Parses an instant of the API to epoch milliseconds; undefined if there is none, or it is invalid. */
export function instantOf(text: string | undefined): number | undefined {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

/** Formats the instants of a list: relative to now for a person, as they are for a program. */
export function instantTextFor({ isTerminal }: Pick<Output, 'isTerminal'>): (instant: string) => string {
  const nowMs = Date.now();
  return (instant) => {
    const at = isTerminal ? instantOf(instant) : undefined;
    return at === undefined ? instant : relativeText(at, nowMs);
  };
}

/** The same instant in RFC 3339, as clocks of the zone show it: `2026-11-30T07:00:00+01:00`. */
export function zonedInstant(instant: string, timeZone: string): string {
  const at = instantOf(instant);
  if (at === undefined) return instant;
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  const offset =
    format
      .formatToParts(at)
      .find(({ type }) => type === 'timeZoneName')
      ?.value.slice('GMT'.length) ?? '';
  const [, sign = '+', hours = '00', minutes = '00'] = /^([+-])(\d\d):(\d\d)/.exec(offset) ?? [];
  const offsetMs = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  const local = new Date(at + offsetMs).toISOString().replace(/(\.000)?Z$/, '');
  return `${local}${offsetMs === 0 ? 'Z' : `${sign}${hours}:${minutes}`}`;
}
