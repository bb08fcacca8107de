/** Durations in workflow files: `250ms`, `30s`, `5m`, `2h`, `7d`. */
import * as z from 'zod';

const pattern = /^(\d+)(ms|s|m|h|d)$/;

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Undefined if it is no duration, or too long for a number. */
export function durationMs(text: string): number | undefined {
  const [, count = '', unit = ''] = pattern.exec(text) ?? [];
  const ms = Number(count) * (unitMs[unit] ?? Number.NaN);
  return Number.isSafeInteger(ms) && unit !== '' ? ms : undefined;
}

/** With the largest unit that is exact. */
export function durationText(ms: number): string {
  const unit = ['d', 'h', 'm', 's'].find((one) => ms % (unitMs[one] ?? 1) === 0) ?? 'ms';
  return `${ms / (unitMs[unit] ?? 1)}${unit}`;
}

const spoken = /(\d{1,9})\s*(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)(?![a-z])[\s,]*/g;

/** A duration of ISO 8601: days, hours, minutes and seconds. */
const isoForm = /^P(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/i;

const isoUnitMs = [86_400_000, 3_600_000, 60_000, 1_000] as const;

/** `30 seconds`, `1h30m` and `5min` in Baton's spelling; undefined if the text is no duration. */
export function respellDuration(text: string): string | undefined {
  const [whole, ...counts] = isoForm.exec(text) ?? [];
  if (whole !== undefined) {
    const ms = counts.reduce((sum, count, i) => sum + Number(count ?? 0) * (isoUnitMs[i] ?? 0), 0);
    return ms > 0 && Number.isSafeInteger(ms) ? durationText(ms) : undefined;
  }
  const parts = [...text.toLowerCase().matchAll(spoken)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== text.toLowerCase()) return undefined;
  const unitOf = (word: string): string => (/^(ms|mil)/.test(word) ? 'ms' : word.charAt(0));
  const ms = parts.reduce(
    (sum, [, count = '', word = '']) => sum + Number(count) * (unitMs[unitOf(word)] ?? Number.NaN),
    0,
  );
  return ms > 0 && Number.isSafeInteger(ms) ? durationText(ms) : undefined;
}

export const durationForm = 'a number with ms, s, m, h or d, such as 30s';

const Duration = z
  .string()
  .regex(pattern)
  .meta({ description: 'A duration: `250ms`, `30s`, `5m`, `2h`, `7d`.', examples: ['30s', '5m'], offers: 'duration' });

/** A duration within bounds, both included. */
export const duration = (minMs: number, maxMs: number): typeof Duration =>
  Duration.check((ctx) => {
    const ms = durationMs(ctx.value);
    if ((ms !== undefined && ms >= minMs && ms <= maxMs) || !pattern.test(ctx.value)) return;
    const fault = ms !== undefined && ms < minMs ? 'too short' : 'too long';
    ctx.issues.push({
      code: 'custom',
      input: ctx.value,
      params: { code: 'out-of-range', fault, expected: `${durationText(minMs)} to ${durationText(maxMs)}` },
    });
  });
