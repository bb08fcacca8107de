import { setImmediate } from 'node:timers/promises';

import { RunWatches } from '@baton/control';
import type { RunEvent, WaitCondition } from '@baton/engine';
import { requested } from '@baton/runner';
import { MemoryBus, MemoryJournal } from '@baton/testing';
import { expect, test } from 'vitest';

import { followForCaller } from './following.ts';

const now = 1_800_000_000_000;
const order = { workflow: 'w', definition: 'd', inputs: {}, trigger: { kind: 'mcp' }, by: 'ada' } as const;

/** Follows a run for a minute that waits; the minute ends when `endMinute` is called. */
async function following(awaiting: WaitCondition, wakeAt?: number) {
  const journal = new MemoryJournal();
  const { runId } = await journal.request(requested(order, now));
  const events: RunEvent[] = [
    { type: 'run.claimed', at: now, worker: 'one', claim: 1 },
    { type: 'step.waiting', at: now, path: 'pause', verb: 'wait', attempt: 1, awaiting },
    { type: 'run.waiting', at: now, ...(wakeAt === undefined ? {} : { wakeAt }) },
  ];
  await (await journal.open(runId))?.log.append({ events });
  const timers: (() => void)[] = [];
  const clock = {
    now: () => now,
    monotonic: () => 0,
    after: (_: number, callback: () => void) => {
      timers.push(callback);
      return () => undefined;
    },
  };
  const watches = new RunWatches({ bus: new MemoryBus(), positions: async () => new Map(), clock });
  const read = Promise.withResolvers<undefined>();
  const outcome = followForCaller({
    journal,
    watches,
    clock,
    runId,
    forMs: 60_000,
    signal: new AbortController().signal,
    stopsAt: () => false,
    onEvents: () => read.resolve(undefined),
  });
  await read.promise;
  return {
    outcome,
    stopProcess: () => watches.endWaits(),
    endMinute: () => {
      for (const end of timers) end();
    },
  };
}

test('a caller does not wait with a run that can only sleep for longer than the caller waits', async () => {
  const until = now + 600_000;
  const { outcome } = await following({ for: 'time', until }, until);
  await expect(outcome).resolves.toMatchObject({ kind: 'late' });
});

test.each<[string, WaitCondition, number | undefined]>([
  ['sleeps for a moment', { for: 'time', until: now + 1_000 }, now + 1_000],
  ['waits for a signal that expires late', { for: 'signal', name: 's', expiresAt: now + 600_000 }, now + 600_000],
  ['waits for another run', { for: 'child', workflow: 'w', inputs: { json: {} } }, undefined],
])('a caller waits with a run that %s', async (_, awaiting, wakeAt) => {
  const { outcome, endMinute } = await following(awaiting, wakeAt);
  // By then everything that could end it at once has ended it.
  const first = await Promise.race([outcome, setImmediate('waits')]);
  expect(first).toBe('waits');
  endMinute();
  await expect(outcome).resolves.toMatchObject({ kind: 'late' });
});

test('a caller that waits is answered before the process stops', async () => {
  const signal = { for: 'signal', name: 's', expiresAt: now + 600_000 } as const;
  const { outcome, stopProcess } = await following(signal);
  expect(await Promise.race([outcome, setImmediate('waits')])).toBe('waits');
  stopProcess();
  await expect(outcome).resolves.toMatchObject({ kind: 'late' });
});
