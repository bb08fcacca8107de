import type { EventOf, RunRow } from '@baton/engine';
import type { FreshStore } from '@baton/testing';
import { freshStore, requestedEvent, runningRow } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { beat, forgetWorkers, isWorkerAlive, listWorkers, removeWorker } from '../workers/workers.ts';
import { cancellingRuns, dueRuns, silentRuns, unknownRuns, unnotifiedChildren } from './stuckRuns.ts';
import type { StuckRun } from './stuckRuns.ts';

let store: FreshStore;

beforeAll(async () => {
  store = await freshStore();
});

afterAll(() => store.close());

const hourMs = 3_600_000;
const minuteAgo = Date.now() - 60_000;
const within = { forMs: 30_000, limit: 100 };

async function newRun(at: number, more: Partial<EventOf<'run.requested'>>, changed?: Partial<RunRow>): Promise<string> {
  const event = requestedEvent({ at, ...more });
  const { runId } = await store.request({ event });
  if (changed === undefined) return runId;
  const opened = await store.journal.open(runId);
  const happened = { type: 'signal.received', at, name: 'x', payload: null, by: 'x' } as const;
  await opened?.log.append({ events: [happened], row: runningRow({ worker: 'w-gone', ...changed }) });
  return runId;
}

const lastHeardOf = (ago: string) => store.pool.query('update worker set heartbeat_at = now() - $1::interval', [ago]);

const idsOf = (some: readonly StuckRun[]): Set<string> => new Set(some.map(({ runId }) => runId));

const worker = { id: 'w-alive', host: 'here', pid: 7, version: '0.1.0', isDraining: false };

describe('runs that ought to move', () => {
  test('are those queued for a while, and those whose time has come; no others', async () => {
    const queued = await newRun(minuteAgo, { priority: 4 });
    const later = await newRun(minuteAgo, { notBefore: Date.now() + hourMs });
    const overdue = await newRun(minuteAgo, { notBefore: minuteAgo });
    const woken = await newRun(minuteAgo, {}, { status: 'waiting', wakeAt: minuteAgo });
    const asleep = await newRun(minuteAgo, {}, { status: 'waiting', wakeAt: Date.now() + hourMs });
    const asking = await newRun(minuteAgo, {}, { status: 'waiting', questions: 1 });
    const fresh = await newRun(Date.now(), {});
    const due = await dueRuns(store, within);
    expect(idsOf(due)).toEqual(new Set([queued, overdue, woken]));
    expect(due.find(({ runId }) => runId === queued)).toEqual({ runId: queued, priority: 4, worker: undefined });
    expect([later, asleep, asking, fresh].some((id) => idsOf(due).has(id))).toBe(false);
    await expect(dueRuns(store, { ...within, limit: 2 })).resolves.toHaveLength(2);
  });

  test('are taken by how long they have waited: none of one kind stands behind all of the other', async () => {
    const old = minuteAgo - 10 * hourMs;
    const queued = await newRun(old + 1, {});
    const woken = await newRun(old, {}, { status: 'waiting', wakeAt: old });
    const between = await newRun(old, {}, { status: 'waiting', wakeAt: old + 2 });
    const last = await newRun(old + 3, {});
    const due = await dueRuns(store, { ...within, limit: 4 });
    expect(due.map(({ runId }) => runId)).toEqual([woken, queued, between, last]);
  });

  test('are those marked as running on a worker that does not drive them', async () => {
    const [known, unknown] = [
      await newRun(minuteAgo, {}, { worker: 'w-9' }),
      await newRun(minuteAgo, {}, { worker: 'w-9' }),
    ];
    await newRun(minuteAgo, {}, { worker: 'w-9', status: 'waiting' });
    const found = await unknownRuns(store, 'w-9', { known: [known], limit: 10 });
    expect(idsOf(found)).toEqual(new Set([unknown]));
  });

  test('are those whose worker is silent, or was never heard of', async () => {
    await beat(store, worker);
    const orphan = await newRun(minuteAgo, {}, {});
    const driven = await newRun(minuteAgo, {}, { worker: worker.id });
    const over = await newRun(minuteAgo, {}, { status: 'succeeded', endedAt: minuteAgo });
    const silent = idsOf(await silentRuns(store, { ...within, isThorough: true }));
    expect(silent.has(orphan)).toBe(true);
    expect(silent.has(driven) || silent.has(over)).toBe(false);
    await lastHeardOf('1 minute');
    expect(idsOf(await silentRuns(store, within)).has(driven)).toBe(true);
  });

  test('are not searched on workers while none fell silent lately, except in a thorough look', async () => {
    await beat(store, worker);
    const orphan = await newRun(minuteAgo, {}, {});
    const found = async (isThorough: boolean): Promise<boolean> =>
      idsOf(await silentRuns(store, { ...within, isThorough })).has(orphan);
    expect(await found(false)).toBe(false);
    await lastHeardOf('6 minutes');
    expect(await found(false)).toBe(false);
    expect(await found(true)).toBe(true);
    await lastHeardOf('4 minutes');
    expect(await found(false)).toBe(true);
  });

  test('are those that were asked to stop', async () => {
    const stopping = await newRun(minuteAgo, {}, { worker: worker.id, isCancelling: true });
    expect(idsOf(await cancellingRuns(store, 100))).toEqual(new Set([stopping]));
  });

  test('are parents of children that are over', async () => {
    const parent = await newRun(minuteAgo, {}, { status: 'waiting' });
    const child = { parent: { runId: parent, path: 'a', attempt: 1 } };
    const ended = await newRun(minuteAgo, child, { status: 'failed', endedAt: minuteAgo });
    await newRun(minuteAgo, { parent: { ...child.parent, path: 'b' } }, { worker: worker.id });
    const done = await newRun(minuteAgo, {}, { status: 'succeeded', endedAt: minuteAgo });
    await newRun(minuteAgo, { parent: { ...child.parent, runId: done } }, { status: 'failed', endedAt: minuteAgo });
    const longAgo = Date.now() - hourMs;
    const old = await newRun(
      longAgo,
      { parent: { ...child.parent, path: 'c' } },
      { status: 'failed', endedAt: longAgo },
    );
    expect(idsOf(await unnotifiedChildren(store, within))).toEqual(new Set([ended, old]));
    expect(idsOf(await unnotifiedChildren(store, { ...within, sinceMs: hourMs / 2 }))).toEqual(new Set([ended]));
  });
});

describe('workers', () => {
  test('are alive while their heartbeats are young', async () => {
    await beat(store, { ...worker, id: 'w2' });
    await expect(isWorkerAlive(store, 'w2', 10_000)).resolves.toBe(true);
    await store.pool.query(`update worker set heartbeat_at = now() - interval '20 seconds' where id = 'w2'`);
    await expect(isWorkerAlive(store, 'w2', 10_000)).resolves.toBe(false);
    await beat(store, { ...worker, id: 'w2', isDraining: true });
    await expect(listWorkers(store, 10_000)).resolves.toContainEqual(
      expect.objectContaining({ ...worker, id: 'w2', isDraining: true }),
    );
  });

  test('are removed when they leave, or after a long silence', async () => {
    await beat(store, { ...worker, id: 'w3' });
    await removeWorker(store, 'w3');
    await expect(isWorkerAlive(store, 'w3', 10_000)).resolves.toBe(false);
    await beat(store, { ...worker, id: 'w4' });
    await store.pool.query(`update worker set heartbeat_at = now() - interval '2 hours' where id = 'w4'`);
    await expect(forgetWorkers(store, hourMs)).resolves.toBe(1);
  });

  test('that are unknown are not alive', async () => {
    await expect(isWorkerAlive(store, '\0', 10_000)).resolves.toBe(false);
  });
});
