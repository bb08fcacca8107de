/** Names of time zones: whether one exists, and which was meant. */
import { nearest } from '../../source/nearest.ts';
import { formatOf } from './wallClock.ts';

/** Undefined if the zone exists; else those that may be meant. */
export function zonesNear(written: string): readonly string[] | undefined {
  const short = abbreviations[written.toUpperCase()];
  if (short !== undefined) return [short];
  if (formatOf(written) !== undefined) return undefined;
  const offset = offsetIn(written);
  if (offset !== undefined) return zonesAt(offset);
  const zones = Intl.supportedValuesOf('timeZone');
  const near = nearest(written, zones);
  if (near.length > 0) return near;
  const city = written.split('/').at(-1)?.replaceAll(' ', '_') ?? '';
  const cities = new Set([...nearest(city, zones.map(cityOf)), city].map((one) => one.toLowerCase()));
  return [...cities].flatMap((one) => zones.filter((zone) => cityOf(zone).toLowerCase() === one)).slice(0, shownMax);
}

const shownMax = 3;

const cityOf = (zone: string): string => zone.split('/').at(-1) ?? zone;

/** No IANA names. Some libraries know a few of them, and not by the zone that most people mean: BST as Bangladesh. */
const abbreviations: Readonly<Record<string, string>> = {
  AEDT: 'Australia/Sydney',
  AEST: 'Australia/Sydney',
  AKST: 'America/Anchorage',
  BST: 'Europe/London',
  CDT: 'America/Chicago',
  CEST: 'Europe/Berlin',
  CST: 'America/Chicago',
  EDT: 'America/New_York',
  EEST: 'Europe/Helsinki',
  IST: 'Asia/Kolkata',
  JST: 'Asia/Tokyo',
  KST: 'Asia/Seoul',
  MDT: 'America/Denver',
  MSK: 'Europe/Moscow',
  NZDT: 'Pacific/Auckland',
  NZST: 'Pacific/Auckland',
  PDT: 'America/Los_Angeles',
  PST: 'America/Los_Angeles',
  WEST: 'Europe/Lisbon',
};

const hourMs = 3_600_000;

/** `UTC+2`, `GMT-05:30`, `+0200`: milliseconds ahead of UTC. */
function offsetIn(written: string): number | undefined {
  const [, sign, hours = '', minutes = '0'] =
    /^(?:UTC|GMT|Z)?\s*([+-])\s*(\d{1,2})(?::?(\d{2}))?$/i.exec(written.trim()) ?? [];
  if (sign === undefined) return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * hourMs + Number(minutes) * 60_000);
}

/** A zone that is always so far ahead of UTC. The signs in `Etc` are the other way round (POSIX). */
function zonesAt(offsetMs: number): readonly string[] {
  const hours = offsetMs / hourMs;
  if (offsetMs === 0) return ['UTC'];
  const between = Object.hasOwn(betweenHours, hours) ? betweenHours[hours] : undefined;
  if (between !== undefined) return [between];
  const isWhole = Number.isInteger(hours) && hours >= -12 && hours <= 14;
  return isWhole ? [`Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`] : [];
}

/** By hours ahead of UTC. */
const betweenHours: Readonly<Record<number, string>> = {
  [-9.5]: 'Pacific/Marquesas',
  3.5: 'Asia/Tehran',
  4.5: 'Asia/Kabul',
  5.5: 'Asia/Kolkata',
  5.75: 'Asia/Kathmandu',
  6.5: 'Asia/Yangon',
  8.75: 'Australia/Eucla',
  9.5: 'Australia/Darwin',
};
