import { expect, test } from 'vitest';

import { checkWorkflow } from '../parseWorkflow.ts';

const nowMs = Date.UTC(2026, 10, 26, 20);

const findingsOf = (until: string): string[] =>
  checkWorkflow(`workflow: w\nsteps:\n  - wait: { until: "${until}" }\n`, { nowMs }).findings.map(
    ({ code, expected }) => `${code}: ${expected}`,
  );

test.each(['2026-11-30T06:00:00Z', '2026-11-30T06:00:00+01:00'])('a step can wait until %s', (until) => {
  expect(findingsOf(until)).toEqual([]);
});

test.each(['2026-11-30T06:00:00', '2026-11-30', '1', 'Mon, 30 Nov 2026 06:00:00 GMT'])(
  'a step cannot wait until %s, which names no zone, or has another form than RFC 3339',
  (until) => {
    expect(findingsOf(until)).toEqual(['bad-instant: RFC 3339, as in 2026-11-30T06:00:00Z']);
  },
);
