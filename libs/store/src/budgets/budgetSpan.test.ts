import { expect, test } from 'vitest';

import { budgetSpan } from './budgetSpan.ts';

const at = (text: string): number => Date.parse(text);

test.each([
  ['day', '2026-11-28T23:59:59.999Z', '2026-11-28', '2026-11-29'],
  ['day', '2026-12-31T00:00:00.000Z', '2026-12-31', '2027-01-01'],
  ['month', '2026-11-30T23:59:59.999Z', '2026-11-01', '2026-12-01'],
  ['month', '2026-12-01T00:00:00.000Z', '2026-12-01', '2027-01-01'],
  ['month', '2028-02-29T12:00:00.000Z', '2028-02-01', '2028-03-01'],
] as const)('the %s of %s lasts from %s to the beginning of %s, in UTC', (per, now, first, end) => {
  const span = budgetSpan(per, at(now));
  expect(span).toEqual({ first, end, since: at(`${first}T00:00:00Z`), until: at(`${end}T00:00:00Z`) });
});
