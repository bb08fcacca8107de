import { createLogger } from '@baton/boot';
import { type TimeReading, liveness } from '@baton/runner';
import { databaseTime, drainWorker, isWorkerAlive } from '@baton/store';
import { type FreshStore, freshStore, requestedEvent } from '@baton/testing';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';

import { Heartbeat } from './heartbeat.ts';

let store: FreshStore;
let nowMs: number;
/** By how much the wall clock went on while the monotonic one stood still. */
let pausedMs: number;
let told: TimeReading[];
let drained: number;

beforeAll(async () => {
  store = await freshStore();
});

afterAll(() => store.close());

beforeEach(() => {
  nowMs = 1_000_000;
  pausedMs = 0;
  told = [];
  drained = 0;
});

function heartbeatOf(id: string): Heartbeat {
  const heartbeat = new Heartbeat({
    store,
    log: createLogger({ level: 'silent', name: 'test' }),
    identity: { id, host: 'here', pid: 1, version: '0' },
    clock: { monotonic: () => nowMs, now: () => nowMs + pausedMs },
    onDrain: () => (drained += 1),
    onTime: (time) => told.push(time),
  });
  onTestFinished(() => heartbeat.close());
  return heartbeat;
}

describe('a worker', () => {
  test('makes no call once it has not renewed its heartbeat for four seconds, until it has renewed it again', async () => {
    const heartbeat = heartbeatOf('late');
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

  test('starts although Postgres does not answer its first heartbeat in time', async () => {
    const operator = new Client(store.url);
    await operator.connect();
    await operator.query('begin; lock table worker');
    const started = heartbeatOf('delayed').start();
    const waiting = `select from pg_locks where not granted and relation = 'worker'::regclass`;
    await expect.poll(async () => (await operator.query(waiting)).rowCount, { timeout: 20_000 }).toBe(2);
    await operator.end();
    await started;
    expect(await isWorkerAlive(store, 'delayed', liveness.silentMs)).toBe(true);
  });

  test('counts these seconds from when it sent the renewal, not from when Postgres answered', async () => {
    const heartbeat = heartbeatOf('slow');
    const started = heartbeat.start();
    nowMs += 3_000;
    await started;
    expect(heartbeat.openSince()).toBe(1_003_000);
    nowMs += 1_000;
    expect(heartbeat.openSince()).toBeUndefined();
  });

  test('whose virtual machine was paused for four seconds makes no call until it has renewed its heartbeat', async () => {
    const heartbeat = heartbeatOf('paused');
    await heartbeat.start();
    nowMs += 1_000;
    pausedMs = 2_999;
    expect(heartbeat.openSince()).toBe(1_000_000);
    pausedMs = 3_000;
    expect([heartbeat.openSince(), heartbeat.state]).toEqual([undefined, 'late']);
    await heartbeat.drain();
    expect(heartbeat.openSince()).toBe(1_001_000);
  });

  test('that was paused while it waited for the answer to a renewal makes no call until the next one', async () => {
    const heartbeat = heartbeatOf('paused-within');
    await heartbeat.start();
    const renewed = heartbeat.drain();
    pausedMs = 60_000;
    await renewed;
    expect(heartbeat.openSince()).toBeUndefined();
    await heartbeat.drain();
    expect(heartbeat.openSince()).toBe(1_000_000);
  });

  test('makes no call after it has given its runs to the others, though a renewal was under way', async () => {
    const heartbeat = heartbeatOf('closed');
    await heartbeat.start();
    const renewed = heartbeat.drain();
    const closed = heartbeat.close();
    expect(heartbeat.openSince()).toBeUndefined();
    await Promise.all([renewed, closed]);
    expect(heartbeat.openSince()).toBeUndefined();
  });

  test('renews its heartbeat while every other connection of its process waits for a lock', async () => {
    const heartbeat = heartbeatOf('crowded');
    await heartbeat.start();
    const { runId } = await store.request({ event: requestedEvent() });
    const opened = await store.journal.open(runId);
    const locking = new Client(store.url);
    await locking.connect();
    await locking.query('begin; lock table run, run_event');
    const waiting = [
      store.journal.open(runId),
      store.request({ event: requestedEvent() }),
      opened?.log.append({ events: [{ type: 'run.claimed', at: nowMs, worker: 'crowded', claim: 1 }] }),
      ...Array.from({ length: 10 }, () => store.pool.query('select from run')),
    ];
    nowMs += liveness.fenceMs;
    expect(heartbeat.state).toBe('late');
    await heartbeat.drain();
    expect(heartbeat.openSince()).toBe(nowMs);
    expect(await isWorkerAlive(store, 'crowded', liveness.silentMs)).toBe(true);
    await locking.end();
    await Promise.all(waiting.map(async (one) => one));
  });

  test('gets a new connection for its heartbeat while the rest of its process holds all common ones', async () => {
    const heartbeat = heartbeatOf('broken');
    await heartbeat.start();
    const held = await Promise.all(Array.from({ length: 9 }, () => store.pool.connect()));
    onTestFinished(() => {
      for (const client of held) client.release();
    });
    // The last one: were the heartbeat's among them, this one would get its place when that breaks.
    const last = store.pool.connect();
    const operator = new Client(store.url);
    await operator.connect();
    const { rowCount } = await operator.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where query like 'insert into worker%' and datname = current_database()`);
    await operator.end();
    expect(rowCount).toBe(1);
    held.push(await last);
    expect(store.poolUse()).toContainEqual({ pool: 'requests', busy: 10, idle: 0, waiting: 0 });

    nowMs += liveness.fenceMs;
    // The first may find the connection broken.
    await heartbeat.drain();
    await heartbeat.drain();
    expect(heartbeat.openSince()).toBe(nowMs);
    expect(await isWorkerAlive(store, 'broken', liveness.silentMs)).toBe(true);
    expect(await databaseTime(store)).toBeGreaterThan(0);
  });

  test('that closed its heartbeat is not taken for alive', async () => {
    const heartbeat = heartbeatOf('gone');
    await heartbeat.start();
    expect(await isWorkerAlive(store, 'gone', liveness.silentMs)).toBe(true);
    await heartbeat.close();
    expect(await isWorkerAlive(store, 'gone', liveness.silentMs)).toBe(false);
  });

  test('is told once that it was asked to drain, with its next renewal', async () => {
    const heartbeat = heartbeatOf('asked');
    await heartbeat.start();
    expect([drained, heartbeat.state]).toEqual([0, 'working']);
    await drainWorker(store, 'asked', 'test');
    await expect.poll(() => drained).toBe(1);
    expect(heartbeat.state).toBe('stopping');
    await heartbeat.drain();
    expect(drained).toBe(1);
  });
});
