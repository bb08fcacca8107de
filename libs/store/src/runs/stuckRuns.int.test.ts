import type { EventOf, RunRow } from '@baton/engine';
import { type FreshStore, freshStore, requestedEvent, runningRow } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { beat, forgetWorkers, isWorkerAlive, listWorkers, removeWorker } from '../workers/workers.ts';
import { dropEnd, noteMissedEnds, untakenEnds } from './childEnds.ts';
import {
  cancellingAmong,
  cancellingRuns,
  dueRuns,
  silentRuns,
  unknownRuns,
  type DuePlace,
  type StuckRun,
} from './stuckRuns.ts';

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
    const { runs: due, next } = await dueRuns(store, within);
    expect(next).toBeUndefined();
    expect(idsOf(due)).toEqual(new Set([queued, overdue, woken]));
    expect(due.find(({ runId }) => runId === queued)).toEqual({ runId: queued, priority: 4, worker: undefined });
    expect([later, asleep, asking, fresh].some((id) => idsOf(due).has(id))).toBe(false);
    const { runs: rest } = await dueRuns(store, { ...within, except: [queued] });
    expect(idsOf(rest)).toEqual(new Set([overdue, woken]));
  });

  test('are taken by how long they have waited: none of one kind stands behind all of the other', async () => {
    const old = minuteAgo - 10 * hourMs;
    const queued = await newRun(old + 1, {});
    const woken = await newRun(old, {}, { status: 'waiting', wakeAt: old });
    const between = await newRun(old, {}, { status: 'waiting', wakeAt: old + 2 });
    const last = await newRun(old + 3, {});
    const { runs: due } = await dueRuns(store, { ...within, limit: 4 });
    expect(due.map(({ runId }) => runId)).toEqual([woken, queued, between, last]);
    const paged: string[] = [];
    for (let after: DuePlace | undefined | 'start' = 'start'; after !== undefined;) {
      const page = await dueRuns(store, { ...within, limit: 3, after: after === 'start' ? undefined : after });
      paged.push(...page.runs.map(({ runId }) => runId));
      after = page.next;
    }
    expect(paged).toEqual((await dueRuns(store, within)).runs.map(({ runId }) => runId));
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
    expect(idsOf(await silentRuns(store, { ...within, after: driven })).has(driven)).toBe(false);
    expect(idsOf(await silentRuns(store, { ...within, except: [driven] })).has(driven)).toBe(false);
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
    const later = await newRun(minuteAgo + 1, {}, { worker: worker.id, isCancelling: true });
    const found = async (after?: string) => [...idsOf(await cancellingRuns(store, { limit: 100, after }))];
    expect([await found(), await found(stopping)]).toEqual([[stopping, later], [later]]);
    expect(await cancellingAmong(store, [later])).toEqual([later]);
  });
});

describe('the end of a child', () => {
  const ends = async (): Promise<readonly string[]> => untakenEnds(store, { forMs: 0, limit: 100 });
  const child = async (parent: string, path: string): Promise<string> =>
    newRun(minuteAgo, { parent: { runId: parent, path, attempt: 1 } }, { status: 'failed', endedAt: minuteAgo });
  const take = async (parent: string, path: string, runId: string): Promise<void> => {
    const opened = await store.journal.open(parent);
    await opened?.log.append({ events: [{ type: 'child.finished', at: minuteAgo, path, runId, status: 'failed' }] });
  };

  test('The end of a child is found from its own append on, until the append with which its parent takes it', async () => {
    const parent = await newRun(minuteAgo, {}, { status: 'waiting' });
    const taken = await child(parent, 'a');
    const untaken = await child(parent, 'b');
    await newRun(minuteAgo, {}, { status: 'succeeded', endedAt: minuteAgo });
    await newRun(minuteAgo, { parent: { runId: parent, path: 'c', attempt: 1 } }, { worker: worker.id });
    expect(await ends()).toEqual([taken, untaken].toSorted());
    await take(parent, 'a', taken);
    expect(await ends()).toEqual([untaken]);
    expect(await untakenEnds(store, { forMs: 0, limit: 100, after: untaken })).toEqual([]);
    expect(await untakenEnds(store, { forMs: 60_000, limit: 100 })).toEqual([]);
    await dropEnd(store, untaken);
    expect(await ends()).toEqual([]);
  });

  test('The end of a child is noted later where an older version did not note it, unless its parent took it or is over', async () => {
    const parent = await newRun(minuteAgo, {}, { status: 'waiting' });
    const over = await newRun(minuteAgo, {}, { status: 'succeeded', endedAt: minuteAgo });
    const [taken, missed] = [await child(parent, 'a'), await child(parent, 'b')];
    const late = await child(over, 'a');
    await take(parent, 'a', taken);
    await store.pool.query('delete from child_end');
    expect(await noteMissedEnds(store)).toBeUndefined();
    const noted = await ends();
    expect([noted.includes(missed), noted.includes(taken), noted.includes(late)]).toEqual([true, false, false]);
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
