import type { EventOf, RunRow } from '@baton/engine';
import { type FreshStore, type QueuedRun, fairPicks, freshStore, requestedEvent, runningRow } from '@baton/testing';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { beat } from '../workers/workers.ts';
import { neglectedRuns } from './fairShare.ts';

let store: FreshStore;

beforeEach(async () => {
  store = await freshStore();
});

afterEach(() => store.close());

const minuteAgo = Date.now() - 60_000;
const sharing = {
  driven: [] as readonly string[],
  slots: 10,
  forMs: 30_000,
  silentMs: 30_000,
  limit: 10,
  except: [] as readonly string[],
  served: [] as readonly string[],
};

async function newRun(
  workflow: string,
  more: Partial<EventOf<'run.requested'>> = {},
  changed?: Partial<RunRow>,
): Promise<string> {
  const event = requestedEvent({ at: minuteAgo, workflow, ...more });
  const { runId } = await store.request({ event });
  if (changed === undefined) return runId;
  const opened = await store.journal.open(runId);
  const happened = { type: 'signal.received', at: minuteAgo, name: 'x', payload: null, by: 'x' } as const;
  await opened?.log.append({ events: [happened], row: runningRow({ worker: 'w-1', ...changed }) });
  return runId;
}

/** One after the other, a millisecond apart. */
async function several(count: number, one: (at: number) => Promise<string>): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push(await one(minuteAgo + n));
  return ids;
}

const foundOffered = async (offered: readonly string[], more: Partial<typeof sharing> = {}): Promise<string[]> =>
  (await store.offeredRuns({ ...sharing, ...more }, offered)).map(({ runId }) => runId);

const found = async (more: Partial<typeof sharing> = {}): Promise<string[] | undefined> =>
  (await neglectedRuns(store, { ...sharing, ...more }))?.map(({ runId }) => runId);

/**
 * Goal: the simulation of fairness (`tests/sim/fairness.ts`) asks what Postgres would answer.
 * Method: the same random looks at the same runs, by the statement and by the model.
 */
test('the model of the simulation finds the runs that the statement finds, in the same order', async () => {
  const runs: QueuedRun[] = [];
  for (let n = 0; n < 80; n += 1) {
    const run = { by: `key-${(n * n) % 5}`, workflow: `w${(n * 7) % 3}`, priority: n % 3 };
    runs.push({ id: await newRun(run.workflow, { ...run, at: minuteAgo + n }), ...run });
  }
  const look = fc.record({
    driven: fc.subarray(runs, { maxLength: 14 }),
    except: fc.subarray(runs, { maxLength: 4 }),
    served: fc.shuffledSubarray([...new Set(runs.map(({ by }) => by)), 'another']),
    slots: fc.integer({ min: 2, max: 24 }),
    limit: fc.integer({ min: 1, max: 12 }),
  });
  const property = fc.asyncProperty(look, async ({ driven, except, ...counts }) => {
    const ids = { driven: driven.map(({ id }) => id), except: except.map(({ id }) => id) };
    const picks = fairPicks(runs, driven, { ...counts, except: ids.except });
    expect(await found({ ...ids, ...counts })).toEqual(picks.map(({ runId }) => runId));
  });
  await fc.assert(property, { numRuns: 60 });
});

describe('runs of workflows that have less than their share', () => {
  test('are taken in turn, those of a workflow by urgency and age', async () => {
    const many = await several(20, (at) => newRun('many', { at }));
    const few = [await newRun('few', { priority: 5, at: minuteAgo + 8 }), await newRun('few', { at: minuteAgo + 9 })];
    expect(await found({ limit: 7 })).toEqual([many[0], few[1], many[1], few[0], many[2]]);
  });

  test('are those that wait, for any reason that a worker could end', async () => {
    await beat(store, { id: 'w-1', host: 'here', pid: 7, version: '0.1.0', isDraining: false });
    await beat(store, { id: 'w-silent', host: 'here', pid: 8, version: '0.1.0', isDraining: false });
    await store.pool.query(`update worker set heartbeat_at = now() - interval '1 minute' where id = 'w-silent'`);
    const woken = await newRun('a', {}, { status: 'waiting', wakeAt: minuteAgo });
    const orphan = await newRun('b', {}, { worker: 'w-silent' });
    await newRun('c', {}, {});
    await newRun('d', { at: Date.now() });
    await newRun('e', { notBefore: Date.now() + 3_600_000 });
    expect(new Set(await found())).toEqual(new Set([woken, orphan]));
  });

  test('are not runs of a workflow that has its share, however many others there are', async () => {
    await beat(store, { id: 'w-1', host: 'here', pid: 7, version: '0.1.0', isDraining: false });
    const driven = await several(5, () => newRun('many', {}, {}));
    await several(20, () => newRun('many'));
    expect(await found({ driven })).toEqual([]);
    const few = await newRun('few');
    expect(await found({ driven })).toEqual([few]);
  });

  test('are searched by one worker at a time', async () => {
    const run = await newRun('any');
    const other = await store.pool.connect();
    await other.query('select pg_advisory_lock(4400005)');
    expect(await found()).toBeUndefined();
    // An offer is for one worker.
    expect(await foundOffered([run])).toEqual([run]);
    await other.query('select pg_advisory_unlock(4400005)');
    other.release();
    expect(await found()).toEqual([run]);
  });

  test('are shared by caller first, and then by workflow', async () => {
    const driven = await several(4, (at) => newRun(`greedy-${at}`, { at, by: 'greedy' }, {}));
    const greedy = await several(30, (at) => newRun(`inline-${at}`, { at, by: 'greedy' }));
    const same = await several(2, (at) => newRun('inline-1', { at: at + 1_000, by: 'modest' }));
    const other = await newRun('rare', { at: minuteAgo + 5_000, by: 'third' });
    expect(await found({ driven })).toEqual([same[0], other, same[1]]);
    // One of them alone may have all places.
    expect(await found({ driven: [...driven, ...same, other] })).toEqual([]);
    expect(await found({ slots: 60, driven: [...driven, ...same, other], limit: 20 })).toEqual(greedy.slice(0, 16));
  });

  test('leave the last place but one to a workflow that has nothing under way', async () => {
    const driven = [await newRun('busy', {}, {})];
    await newRun('busy');
    const idle = await newRun('idle');
    expect(await found({ driven, limit: 2 })).toEqual([idle]);
  });

  test('leave the last place to a caller that has nothing under way, however many workflows another has', async () => {
    const driven = [await newRun('busy', {}, {})];
    const many = await Promise.all(['a', 'b', 'c', 'd'].map((workflow) => newRun(workflow)));
    const taken = await found({ driven, limit: 4 });
    expect(taken).toHaveLength(3);
    expect(many).toEqual(expect.arrayContaining(taken ?? []));
    expect(await found({ driven, limit: 1 })).toEqual([]);
    const modest = await newRun('a', { by: 'another' });
    expect(await found({ driven, limit: 1 })).toEqual([modest]);
  });

  test('are searched among those that are named, where some are', async () => {
    const driven = await several(5, () => newRun('many', {}, {}));
    await several(5, () => newRun('rare', { by: 'another' }));
    const offered = await newRun('few', { by: 'modest' });
    const alike = await newRun('many');
    expect(await foundOffered([offered, alike], { driven, forMs: 0 })).toEqual([offered]);
  });

  test('are looked up by key where they are offered, also by a plan that was made while there were few runs', async () => {
    const driven = [await newRun('busy', {}, {})];
    const offered = await newRun('few');
    const readIn = async (column: string): Promise<number> => {
      const text = `select ${column}::int as read from pg_stat_user_tables where relname = 'run'`;
      return (await store.pool.query<{ read: number }>(text)).rows[0]?.read ?? 0;
    };
    const lookUntilCounted = async (): Promise<number> => {
      const before = await readIn('idx_scan');
      for (let looks = 0; looks < 20; looks += 1) await foundOffered([offered], { driven });
      // A session publishes its counters at most once a second, at the end of a statement.
      const isCounted = async (): Promise<boolean> => {
        await foundOffered([offered], { driven });
        return (await readIn('idx_scan')) >= before + 20;
      };
      await expect.poll(isCounted, { interval: 300 }).toBe(true);
      return readIn('seq_tup_read');
    };
    const read = await lookUntilCounted();
    await store.pool
      .query(`insert into run (id, workflow, definition, status, trigger_kind, by, tags, priority, depth, inputs,
        created_at, ended_at)
      select gen_random_uuid(), 'old', 'd', 'succeeded', 'api', 'k', '{}', 0, 0, '{"json":{}}', now(), now()
      from generate_series(1, 5000)`);
    expect((await lookUntilCounted()) - read).toBe(0);
  });
});
