/** Checks a point in time that is written out. */
import { instantFault, limits, quoted } from '@baton/expressions';
import { parseInstant } from '@baton/primitives';

import type { CheckRun } from './checkRun.ts';

const expected = 'RFC 3339, as in 2026-11-30T06:00:00Z';
const dayMs = 86_400_000;

/** The text of `wait: { until }`. */
export function checkInstant({ report, nowMs }: CheckRun, written: string, pointer: string): void {
  const until = parseInstant(written);
  if (until === undefined) {
    report({ code: 'bad-instant', pointer, message: `${instantFault(written)}.`, expected });
  } else if (nowMs !== undefined && until > nowMs + limits.step.waitMs) {
    const most = limits.step.waitMs / dayMs;
    const message = `${quoted(written)} lies more than ${most} days ahead, and a step waits at most ${most} days.`;
    report({ code: 'out-of-range', pointer, message, expected: 'an earlier time' });
  }
}
