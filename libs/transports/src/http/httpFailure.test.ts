import { expect, test } from 'vitest';

import { retryAfterMs } from './httpFailure.ts';

const now = Date.parse('2026-11-21T12:00:00Z');

test.each([
  [null, undefined],
  ['0', 0],
  ['7', 7_000],
  ['Sat, 21 Nov 2026 12:01:00 GMT', 60_000],
  ['Sat, 21 Nov 2026 11:00:00 GMT', undefined],
  ['soon', undefined],
  ['-1', undefined],
  ['99999999999', 24 * 3_600_000],
])('Retry-After: %s', (header, ms) => {
  expect(retryAfterMs(header, now)).toBe(ms);
});
