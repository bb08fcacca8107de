/** Parses texts and numbers as times. */
import { parseInstant } from '@baton/primitives';

import { quoted } from '../../source/excerpt.ts';
import { type Value, Instant, Period } from '../value.ts';

/** Years 1 to 9999, as CEL has them. */
const firstMs = -62_135_596_800_000;
const lastMs = 253_402_300_799_999;

/** Ten thousand years, as CEL has them. */
const lengthMs = 315_576_000_000_000;

export const isInstant = (ms: number): boolean => ms >= firstMs && ms <= lastMs;
/** The longest duration is shorter than the time between the years 1 and 9999, as in CEL. */
export const isPeriod = (ms: number): boolean => Math.abs(ms) <= lengthMs;

/** Undefined if the value is no point in time. */
export function instantOf(value: Value): Instant | undefined {
  if (value instanceof Instant) return value;
  const ms =
    typeof value === 'string'
      ? (parseInstant(value) ?? Number.NaN)
      : Number(typeof value === 'bigint' || typeof value === 'number' ? value : Number.NaN) * 1_000;
  return isInstant(ms) ? new Instant(Math.trunc(ms)) : undefined;
}

/** Why a text is no point in time, and what would be. */
export function instantFault(text: string): string {
  const shown = quoted(text.slice(0, 60));
  const usual = 'RFC 3339 texts such as "2026-05-01T10:00:00Z" are';
  if (/^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/.test(text)) {
    return `${shown} names no day of the calendar, or no time of the clock`;
  }
  if (/^\d{4}-\d{2}-\d{2}([Tt ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?$/.test(text)) {
    return `${shown} has no offset from UTC, so it is no point in time; "2026-05-01T10:00:00Z" and "2026-05-01T10:00:00+02:00" are`;
  }
  return `${shown} is no point in time; ${usual}`;
}

const unitMs: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** Undefined where the text is no length of time: `1h30m`, `-90s`, `1.5h`, `250ms`, `2d`. */
export function durationOf(value: Value): Period | undefined {
  if (value instanceof Period) return value;
  if (typeof value !== 'string' || value.length > 64) return undefined;
  const isNegative = value.startsWith('-');
  const parts = [...value.replace(/^[+-]/, '').matchAll(/(\d+(?:\.\d+)?)(ms|d|h|m|s)/gy)];
  const length = parts.reduce((sum, [whole]) => sum + whole.length, 0);
  if (parts.length === 0 || length !== value.replace(/^[+-]/, '').length) return undefined;
  const ms = parts.reduce((sum, [, count = '', unit = '']) => sum + Number(count) * (unitMs[unit] ?? Number.NaN), 0);
  return isPeriod(ms) ? new Period(Math.trunc(isNegative ? -ms : ms)) : undefined;
}
