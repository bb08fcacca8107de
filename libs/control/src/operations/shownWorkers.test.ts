import { liveness } from '@baton/runner';
import type { WorkerSummary } from '@baton/store';
import { expect, test } from 'vitest';

import { shownWorkers } from './shownWorkers.ts';

const nowMs = 10_000_000;

const worker = (id: string, heartbeatAt: number, isDraining = false): WorkerSummary => ({
  id,
  host: 'vm',
  pid: 1,
  version: '1.0.0',
  isDraining,
  drainBy: undefined,
  concurrency: undefined,
  servers: undefined,
  startedAt: 0,
  heartbeatAt,
  runs: 0,
});

test('workers that live are listed before those that are silent, each in the order in which they started', () => {
  const silentAt = nowMs - liveness.silentMs - 1;
  const listed = shownWorkers(
    [worker('killed', silentAt), worker('first', nowMs), worker('gone', silentAt), worker('leaving', nowMs, true)],
    nowMs,
  );
  expect(listed.map(({ id, status }) => `${id}: ${status}`)).toEqual([
    'first: working',
    'leaving: draining',
    'killed: silent',
    'gone: silent',
  ]);
});
