import { randomUUID } from 'node:crypto';

import { expect, test } from 'vitest';

import { runsOf } from './bellJob.ts';

const runId = randomUUID();

test('a job names the runs that can go on', () => {
  expect(runsOf({ runs: [runId] })).toEqual([runId]);
});

test.each([
  undefined,
  null,
  runId,
  [runId],
  {},
  { run: runId },
  { runs: runId },
  { runs: [] },
  { runs: [runId, 7] },
  { runs: [runId, 'x'] },
  { runs: Array.from({ length: 257 }, () => runId) },
])('anything else is no bell: %j', (data) => {
  expect(runsOf(data)).toBeUndefined();
});
