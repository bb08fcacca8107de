import { MemoryBus } from '@baton/testing';
import { expect, test } from 'vitest';

import { systemClock } from '../ports/clock.ts';
import { RunOffers } from './runOffers.ts';
import { StartOffers } from './startOffers.ts';

/** Two workers, the orchestrator's offers, and a clock that is moved by hand. */
function stage() {
  const offers = new RunOffers(new MemoryBus());
  const time = { nowMs: 0 };
  const starts = new StartOffers({ offers, clock: { ...systemClock, monotonic: () => time.nowMs } });
  const offered: string[] = [];
  for (const worker of ['w1', 'w2']) offers.onOffer(worker, (runId) => offered.push(`${runId} to ${worker}`));
  const told = async (): Promise<string[]> => {
    await Promise.resolve();
    return offered.splice(0);
  };
  return { offers, starts, time, told };
}

test('a new run is offered to a crowded worker on which its caller has less than a share, in turn', async () => {
  const { offers, starts, told } = stage();
  starts.offer('r0', 'modest');
  expect(await told()).toEqual([]);
  offers.sayCrowded({ worker: 'w1', callers: ['greedy'] });
  offers.sayCrowded({ worker: 'w2', callers: ['greedy', 'another'] });
  await told();
  for (const run of ['r1', 'r2', 'r3']) starts.offer(run, 'modest');
  starts.offer('r4', 'another');
  starts.offer('r5', 'greedy');
  expect(await told()).toEqual(['r1 to w1', 'r2 to w2', 'r3 to w1', 'r4 to w1']);
});

test('a worker that has not said for three seconds that it is crowded gets no offer', async () => {
  const { offers, starts, time, told } = stage();
  offers.sayCrowded({ worker: 'w1', callers: ['greedy'] });
  await told();
  time.nowMs = 2_900;
  starts.offer('r1', 'modest');
  time.nowMs = 3_000;
  starts.offer('r2', 'modest');
  expect(await told()).toEqual(['r1 to w1']);
});

test('workers that are no longer crowded are forgotten, also while no run is started', async () => {
  const { offers, starts, time, told } = stage();
  offers.sayCrowded({ worker: 'w1', callers: ['greedy'] });
  await told();
  time.nowMs = 3_000;
  offers.sayCrowded({ worker: 'w2', callers: ['greedy'] });
  await told();
  expect(starts.size).toBe(1);
});
