import { createLogger } from '@baton/boot';
import type { TimeReading } from '@baton/runner';
import { liveness } from '@baton/runner';
import { databaseTime } from '@baton/store';
import { freshStore } from '@baton/testing';
import { expect, onTestFinished, test } from 'vitest';

import { Heartbeat } from './heartbeat.ts';

test('a worker makes no call once it has not renewed its heartbeat for four seconds, until it has renewed it again', async () => {
  const store = await freshStore();
  let nowMs = 1_000_000;
  const identity = { id: 'w1', host: 'here', pid: 1, version: '0' };
  const told: TimeReading[] = [];
  const heartbeat = new Heartbeat({
    store,
    log: createLogger({ level: 'silent', name: 'test' }),
    identity,
    clock: { monotonic: () => nowMs },
    onDrain: () => undefined,
    onTime: (time) => told.push(time),
  });
  onTestFinished(async () => {
    await heartbeat.close();
    await store.close();
  });

  expect(heartbeat.openSince()).toBeUndefined();
  await heartbeat.start();
  expect([heartbeat.openSince(), heartbeat.state]).toEqual([1_000_000, 'working']);
  expect(told).toMatchObject([{ sentAt: 1_000_000, backAt: 1_000_000 }]);
  expect(Math.abs((told[0]?.timeMs ?? 0) - (await databaseTime(store)))).toBeLessThan(60_000);

  expect(liveness.fenceMs).toBe(4_000);
  nowMs += 3_999;
  expect(heartbeat.openSince()).toBe(1_000_000);
  nowMs += 1;
  expect([heartbeat.openSince(), heartbeat.state]).toEqual([undefined, 'late']);

  await heartbeat.drain();
  expect(heartbeat.openSince()).toBe(1_004_000);
});
