import { createLogger } from '@baton/boot';
import { Semaphore } from '@baton/primitives';
import type { FreshStore } from '@baton/testing';
import { freshStore, requestedEvent } from '@baton/testing';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';

import { Poll } from './poll.ts';

let store: FreshStore;

beforeEach(async () => {
  store = await freshStore();
});

afterEach(() => store.close());

const newRun = async (workflow: string, by: string): Promise<string> => {
  const event = requestedEvent({ at: Date.now() - 60_000, workflow, by });
  return (await store.request({ event })).runId;
};

test('bells and polls together leave a slot for a caller without runs, who gets it at once when a run is offered', async () => {
  const many = await Promise.all(Array.from({ length: 20 }, (_, at) => newRun(`many-${at}`, 'greedy')));
  const concurrency = 4;
  const slots = new Semaphore(concurrency);
  const taken = new Set<string>();
  const poll = new Poll({
    store,
    worker: 'w-1',
    drives: {
      get size() {
        return taken.size;
      },
      get runIds() {
        return [...taken];
      },
      runsByCaller: () => new Map([['greedy', taken.size]]),
      routeHint: () => undefined,
    },
    // No run ends; a run that is driven already is not driven twice.
    take: (runId) => {
      if (taken.has(runId)) return Promise.resolve();
      taken.add(runId);
      return new Promise(() => undefined);
    },
    log: createLogger({ level: 'silent', name: 'test' }),
    bells: { tryTakeSlot: () => slots.tryTake() },
    concurrency,
  });
  onTestFinished(() => poll.close());
  await expect.poll(() => taken.size).toBeGreaterThan(0);
  // The bells take what is left of their slots.
  for (const run of many) if (!taken.has(run) && slots.tryTake() !== undefined) taken.add(run);
  const slotsOfWorker = concurrency + 2;
  expect(taken.size).toBe(slotsOfWorker - 1);
  expect(poll.callersWithShare()).toEqual(['greedy']);
  const again = await newRun('many-21', 'greedy');
  const modest = await newRun('few', 'modest');
  poll.consider(again);
  poll.consider(modest);
  await expect.poll(() => taken.has(modest)).toBe(true);
  expect(taken.size).toBe(slotsOfWorker);
});
