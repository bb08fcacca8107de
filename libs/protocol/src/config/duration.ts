/** Durations as in workflows: `250ms`, `30s`, `5m`, `2h`, `7d`. Parsed to milliseconds. */
import { durationMs } from '@baton/language';
import { z } from 'zod';

export const Duration = z.string().transform((text, context) => {
  const ms = durationMs(text);
  if (ms !== undefined) return ms;
  context.addIssue('expected a duration such as "250ms", "30s", "5m", "2h" or "7d"');
  return z.NEVER;
});
