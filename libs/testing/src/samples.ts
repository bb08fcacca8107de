/** A first event and a row, for tests that do not depend on their content. */
import type { EventOf, RunRow } from '@baton/engine';

export const requestedEvent = (more: Partial<EventOf<'run.requested'>> = {}): EventOf<'run.requested'> => ({
  type: 'run.requested',
  at: 1_800_000_000_000,
  workflow: 'hello',
  version: 1,
  definition: 'sha256:0',
  inputs: { json: { name: 'Ada' } },
  trigger: { kind: 'api' },
  by: 'key-1',
  ...more,
});

export const runningRow = (more: Partial<RunRow> = {}): RunRow => ({
  status: 'running',
  worker: 'w1',
  startedAt: 1_800_000_000_001,
  endedAt: undefined,
  wakeAt: undefined,
  outputs: undefined,
  failure: undefined,
  isCancelling: false,
  questions: 0,
  tokens: 0,
  usd: 0,
  ...more,
});
