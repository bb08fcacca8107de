import { type RemovableKind, Retention } from '@baton/control';
import { sealRuns } from '@baton/store';
import { type FreshStore, freshStore, requestedEvent, runningRow, TestClock } from '@baton/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { openTestApp, type TestApp } from '../testing/testApp.ts';

const day = 24 * 3_600_000;

let store: FreshStore;
let clock: TestClock;
let removed: Partial<Record<RemovableKind, number>>;
let troubles: Error[];

beforeEach(async () => {
  store = await freshStore();
  clock = new TestClock();
  removed = {};
  troubles = [];
});
afterEach(() => store.close());

// Thrown there, an error would be one of no test: vitest would tell of an unhandled rejection.
const onTrouble = (error: Error): void => void troubles.push(error);

function retention(runsMs: number, recordsMs: number): Retention {
  const onRemoved = (what: RemovableKind, count: number): void => void (removed[what] = (removed[what] ?? 0) + count);
  return new Retention({ store, clock, keep: { runsMs, recordsMs }, onRemoved, onTrouble });
}

async function finishedRun(ageMs: number, key?: string): Promise<string> {
  const at = clock.now() - ageMs;
  const idempotency = key === undefined ? {} : { idempotency: { scope: 'x', key, digest: 'd' } };
  const { runId } = await store.request({ event: requestedEvent({ at }), ...idempotency });
  const opened = await store.journal.open(runId);
  const row = runningRow({ status: 'succeeded', endedAt: at });
  await opened?.log.append({ events: [{ type: 'run.finished', at, status: 'succeeded' }], row });
  await store.pool.query('update idempotency_key set created_at = $2 where run_id = $1', [runId, new Date(at)]);
  return runId;
}

const keys = async (): Promise<string[]> => {
  const { rows } = await store.pool.query<{ key: string }>('select key from idempotency_key order by key');
  return rows.map(({ key }) => key);
};

describe('retention', () => {
  test('keeps runs for ever, and what prevents repetition for as long as is said', async () => {
    await finishedRun(100 * day, 'old');
    await finishedRun(10 * day, 'young');
    const { runId: waiting } = await store.request({
      event: requestedEvent({ at: clock.now() - 200 * day }),
      idempotency: { scope: 'x', key: 'waiting', digest: 'd' },
    });
    await store.pool.query('update idempotency_key set created_at = $2 where run_id = $1', [waiting, new Date(0)]);
    await store.pool.query(
      `insert into firing (schedule, instant, outcome, cause, by) select 's', to_timestamp($1::bigint / 1000), outcome, 'due', 'x'
       from (values ('skipped')) as v(outcome) union all
       select 's', to_timestamp($1::bigint / 1000) + interval '1 s', 'queued', 'due', 'x'`,
      [clock.now() - 91 * day],
    );
    await sealRuns(store, { nowMs: clock.now() });
    await retention(Infinity, 90 * day).remove();
    expect(removed).toEqual({ keys: 1, firings: 1 });
    expect(await keys()).toEqual(['waiting', 'young']);
    expect((await store.pool.query(`select outcome from firing`)).rows).toEqual([{ outcome: 'queued' }]);
    expect((await store.pool.query('select from run')).rowCount).toBe(3);
    const { rows } = await store.pool.query(`select by, action, detail from audit_entry where seq > 1`);
    expect(rows).toMatchObject([{ by: 'retention', action: 'records.removed', detail: { keys: 1, firings: 1 } }]);
  });

  test('removes no run without the key that names it', async () => {
    const run = await finishedRun(40 * day, 'k');
    await finishedRun(10 * day, 'l');
    await sealRuns(store, { nowMs: clock.now() });
    await retention(30 * day, 90 * day).remove();
    expect(removed).toEqual({ keys: 1, runs: 1, events: 2 });
    expect(await keys()).toEqual(['l']);
    expect(await store.journal.open(run)).toBeUndefined();
    const again = await store.request({
      event: requestedEvent({ at: clock.now() }),
      idempotency: { scope: 'x', key: 'k', digest: 'd' },
    });
    expect(again.kind).toBe('created');
  });

  test('has nothing to do where there is nothing, or nothing that old', async () => {
    await retention(30 * day, 90 * day).remove();
    await finishedRun(10 * day);
    await sealRuns(store, { nowMs: clock.now() });
    await retention(30 * day, 90 * day).remove();
    expect(removed).toEqual({});
    expect((await store.pool.query('select from run')).rowCount).toBe(1);
  });

  test('looks by itself, a minute after its start and from then on every hour', async () => {
    await finishedRun(40 * day);
    await sealRuns(store, { nowMs: clock.now() });
    const one = retention(30 * day, Infinity);
    one.start();
    clock.pass(60_000);
    await expect.poll(() => clock.isAwaited(3_600_000)).toBe(true);
    expect([removed, troubles]).toMatchObject([{ runs: 1 }, []]);
    await one.close();
  });

  test('that fails to remove what it should says so, until it has', async () => {
    await finishedRun(40 * day);
    await sealRuns(store, { nowMs: clock.now() });
    const one = retention(30 * day, Infinity);
    await store.pool.query('alter function remove_journals(uuid[]) rename to taken_away');
    one.start();
    clock.pass(60_000);
    await expect.poll(() => troubles.map(String)).toEqual([expect.stringContaining('remove_journals')]);
    expect(one.warning()).toContain('could not be removed');
    await store.pool.query('alter function taken_away(uuid[]) rename to remove_journals');
    // It tries again by itself.
    await expect.poll(() => clock.isAwaited(1_000)).toBe(true);
    clock.pass(1_000);
    await expect.poll(() => [one.warning(), removed]).toMatchObject([undefined, { runs: 1 }]);
    await one.close();
  });

  test('works a fifth of the time at the most', async () => {
    const slow = new TestClock();
    await Promise.all(Array.from({ length: 501 }, (_, n) => finishedRun(40 * day - n)));
    while ((await sealRuns(store, { nowMs: clock.now() }))?.isFull === true);
    let ticks = slow.now();
    const rests: number[] = [];
    const counting = {
      now: () => slow.now(),
      // Each look at it is 50 ms later than the one before.
      monotonic: () => (ticks += 50),
      after: (ms: number, callback: () => void) => {
        rests.push(ms);
        queueMicrotask(callback);
        return () => undefined;
      },
    };
    const keep = { runsMs: 30 * day, recordsMs: Infinity };
    await new Retention({ store, clock: counting, keep, onRemoved: () => undefined, onTrouble }).remove();
    expect(rests).toEqual([200]);
    expect((await store.pool.query('select from run')).rowCount).toBe(0);
  });
});

describe('what was removed', () => {
  let app: TestApp;
  beforeEach(async () => {
    app = await openTestApp(store, store.url, { parts: { keep: { runsMs: day, recordsMs: Infinity } } });
  });
  afterEach(() => app.close());

  test('is told before, and is not found after', async () => {
    clock = new TestClock();
    const past = Date.now() - clock.now();
    const run = await finishedRun(2 * day - past);
    expect((await app.ask('GET /v1/retention')).body).toEqual({
      runs: '1d',
      records: '1d',
      removal: 'own-role',
      removable: { runs: 1, records: 0 },
    });
    expect((await app.ask(`GET /v1/runs/${run}/events`)).status).toBe(200);
    await sealRuns(store, { nowMs: Date.now() });
    const keep = { runsMs: day, recordsMs: Infinity };
    const systemNow = { now: () => Date.now(), monotonic: () => 0, after: () => () => undefined };
    await new Retention({ store, clock: systemNow, keep, onRemoved: () => undefined, onTrouble }).remove();
    const gone = await app.ask(`GET /v1/runs/${run}`);
    expect(gone).toMatchObject({
      status: 404,
      body: { detail: expect.stringMatching(/removed.*retention/) as string },
    });
    expect((await app.ask(`POST /v1/runs/${run}/rerun`, { json: {} })).status).toBe(404);
    expect((await app.ask('GET /v1/audit?action=runs.removed')).body).toMatchObject({ data: [{ by: 'retention' }] });
    expect((await app.ask('POST /v1/audit/verify')).body).toMatchObject({ isIntact: true, removed: 1 });
  });
});
