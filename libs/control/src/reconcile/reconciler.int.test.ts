import type { RunEvent } from '@baton/engine';
import { type Bell, type Ring, advance, growingMs, UnavailableError } from '@baton/runner';
import { beat, listWorkers, storedTurns, untakenEnds } from '@baton/store';
import { type FreshStore, freshStore, MemoryBus, requestedEvent, tamper, TestClock } from '@baton/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { type ReconcilerRemedy, Reconciler } from './reconciler.ts';
import { timing } from './timing.ts';

let store: FreshStore;
let clock: TestClock;
let rung: string[];
let hinted: string[];
let remedies: [ReconcilerRemedy, number][];
let troubles: Error[];
let reconciler: Reconciler;
let isQueueAway: boolean;

const bell: Bell = {
  ring: async (rings: readonly Ring[]) => {
    if (isQueueAway) throw new UnavailableError('the queue is away');
    rung.push(...rings.map(({ runId }) => runId));
  },
  close: async () => undefined,
};

beforeEach(async () => {
  store = await freshStore();
  clock = new TestClock();
  [rung, hinted, remedies, troubles] = [[], [], [], []];
  isQueueAway = false;
  const bus = new MemoryBus();
  bus.subscribe(({ runId }) => hinted.push(runId));
  reconciler = new Reconciler({
    store,
    journal: store.journal,
    bell,
    bus,
    clock,
    random: () => 0.5,
    onRemedy: (remedy, runs) => remedies.push([remedy, runs]),
    onTrouble: (error) => troubles.push(error),
  });
});

afterEach(async () => {
  await reconciler.close();
  await store.close();
});

const newRun = async (more: Parameters<typeof requestedEvent>[0] = {}): Promise<string> => {
  const made = await store.request({ event: requestedEvent({ at, ...more }), blobs: [] });
  if (made.kind !== 'created') throw new Error('the run was not created');
  return made.runId;
};

const at = Date.now();

/** As if it had been so for longer. */
async function age(runId: string): Promise<void> {
  await store.pool.query(
    `update run set created_at = created_at - interval '1 hour', wake_at = wake_at - interval '1 hour',
      ended_at = ended_at - interval '1 hour' where id = $1`,
    [runId],
  );
  await store.pool.query(`update child_end set ended_at = ended_at - interval '1 hour' where run_id = $1`, [runId]);
}

const append = (runId: string, ...events: readonly RunEvent[]): Promise<unknown> =>
  advance(store.journal, runId, () => events);
const claimed = (worker: string): RunEvent => ({ type: 'run.claimed', at, worker, claim: 1 });

describe('the reconciler', () => {
  test('rings again for a run whose bell was lost, and not for a fresh run', async () => {
    const [old, fresh] = [await newRun(), await newRun({ at: at + 3_600_000 })];
    await age(old);
    await reconciler.makePass();
    expect(rung).toEqual([old]);
    expect(rung).not.toContain(fresh);
    expect(remedies).toEqual([['rung-due', 1]]);
  });

  test('does not soon ring again for the same run', async () => {
    await age(await newRun());
    await reconciler.makePass();
    await reconciler.makePass();
    expect(rung).toHaveLength(1);
  });

  test('rings for a run that waited and is due, and not for one that waits still', async () => {
    const [due, waiting] = [await newRun(), await newRun()];
    await append(due, claimed('w1'), { type: 'run.waiting', at, wakeAt: Date.now() });
    await append(waiting, claimed('w1'), { type: 'run.waiting', at, wakeAt: Date.now() + 7_200_000 });
    await Promise.all([age(due), age(waiting)]);
    await reconciler.makePass();
    expect(rung).toEqual([due]);
  });

  test('rings for a run whose turn has come, where the run before it ended without passing the turn on', async () => {
    const [first, next] = [await newRun(), await newRun({ at: at + 3_600_000 })];
    const turn = { workflow: 'w', isInline: false, key: '', limit: 1, whenFull: 'queue' } as const;
    for (const runId of [first, next]) await storedTurns(store).take(runId, turn, at);
    await append(first, claimed('w1'), { type: 'run.finished', at, status: 'succeeded' });
    await age(first);
    await reconciler.makePass();
    expect(rung).toEqual([next]);
    expect(remedies).toEqual([['passed-turn', 1]]);
  });

  test('rings for the runs of a worker that went silent, and not for those of one that lives', async () => {
    const [orphan, kept] = [await newRun(), await newRun()];
    await append(orphan, claimed('dead'));
    await append(kept, claimed('alive'));
    await beat(store, { id: 'alive', host: 'h', pid: 1, version: 'test', isDraining: false });
    await reconciler.makePass();
    expect(rung).toEqual([orphan]);
    expect(remedies).toEqual([['rung-silent', 1]]);
  });

  test('looks for runs of unknown workers once a minute, and in each pass while it finds some', async () => {
    const orphan = async (): Promise<string> => {
      const runId = await newRun();
      await append(runId, claimed('dead'));
      return runId;
    };
    const first = await orphan();
    await reconciler.makePass();
    const second = await orphan();
    await reconciler.makePass();
    expect(rung).toEqual([first, second]);
    await beat(store, { id: 'alive', host: 'h', pid: 1, version: 'test', isDraining: false });
    await store.pool.query(`update run set worker = 'alive'`);
    await reconciler.makePass();
    const third = await orphan();
    await reconciler.makePass();
    expect(rung).toEqual([first, second]);
    clock.pass(timing.thoroughEveryMs);
    await reconciler.makePass();
    expect(rung).toEqual([first, second, third]);
  });

  test('hints again at a cancellation that no worker followed, and rings', async () => {
    const runId = await newRun();
    await append(runId, claimed('alive'), { type: 'run.cancelRequested', at, by: 'test' });
    await beat(store, { id: 'alive', host: 'h', pid: 1, version: 'test', isDraining: false });
    await reconciler.makePass();
    await Promise.resolve();
    expect(hinted).toEqual([runId]);
    expect(rung).toEqual([runId]);
    expect(remedies).toEqual([['hinted-cancel', 1]]);
  });

  test('tells a parent again that its child is over, also while the queue is away', async () => {
    const families = [await newFamily(), await newFamily()];
    isQueueAway = true;
    await expect(reconciler.makePass()).rejects.toThrow(UnavailableError);
    for (const { parentId, childId } of families) {
      const events = (await store.journal.open(parentId))?.events ?? [];
      expect(events.at(-1)).toMatchObject({ type: 'child.finished', runId: childId, status: 'succeeded' });
    }
  });

  test('A child whose journal is forged ends no pass: its parent learns of what came before the forgery', async () => {
    const [over, underWay] = [await newFamily(), await newFamily()];
    await forge(over.childId, 4);
    await forge(underWay.childId, 3);
    await reconciler.makePass();
    const endOf = async ({ parentId }: typeof over) => (await store.journal.open(parentId))?.events.at(-1);
    expect(await endOf(over)).toMatchObject({ type: 'child.finished', status: 'succeeded' });
    const failure = { code: 'integrity-lost' };
    expect(await endOf(underWay)).toMatchObject({ type: 'child.finished', status: 'failed', failure });
  });

  test('The reconciler keeps the end of a child for which its parent does not wait yet, and drops one that its parent will never take', async () => {
    // Only the passes that the test makes.
    await reconciler.close();
    const parentId = await newRun();
    await append(parentId, claimed('w1'));
    const childId = await newRun({ parent: { runId: parentId, path: 'child', attempt: 1 }, depth: 1 });
    await append(childId, claimed('w1'), { type: 'run.finished', at, status: 'succeeded' });
    await age(childId);
    const ends = () => untakenEnds(store, { forMs: 0, limit: 10 });
    await reconciler.makePass();
    expect(await ends()).toEqual([childId]);
    // The append of the parent's worker was late.
    const awaiting = { for: 'child', workflow: 'hello', inputs: { json: {} } } as const;
    const step = { type: 'step.waiting', at, path: 'child', verb: 'workflow', attempt: 1, awaiting } as const;
    await append(parentId, step, { type: 'run.waiting', at });
    clock.pass(timing.patienceMs.first);
    await reconciler.makePass();
    expect((await store.journal.open(parentId))?.events.at(-1)).toMatchObject({
      type: 'child.finished',
      runId: childId,
    });
    expect(await ends()).toEqual([]);
    const { childId: late } = await newFamily();
    await store.pool.query(`insert into child_end select id, parent_run_id, ended_at from run where id = $1`, [
      childId,
    ]);
    clock.pass(timing.patienceMs.most);
    await reconciler.makePass();
    expect(await ends()).toEqual([]);
    expect(remedies.filter(([remedy]) => remedy === 'told-parent')).toEqual([
      ['told-parent', 1],
      ['told-parent', 1],
    ]);
    expect(late).not.toBe(childId);
  });

  test('The reconciler tells a parent that its child is over, behind any number of ends that no parent takes', async () => {
    await reconciler.close();
    const { parentId } = await newFamily();
    // They are not removed: as ends for which the parents do not wait yet. Their ids are before all others.
    await store.pool
      .query(`insert into child_end select lpad(to_hex(n), 32, '0')::uuid, '${parentId}', now() - interval '1 hour'
      from generate_series(1, 1200) as n`);
    await store.pool.query(`create function stay() returns trigger language plpgsql as $$ begin return null; end $$;
      create trigger stay before delete on child_end for each row when (old.run_id < '00000001-0000-7000-8000-000000000000')
      execute function stay()`);
    const last = async () => (await store.journal.open(parentId))?.events.at(-1)?.type;
    await reconciler.makePass();
    expect(await last()).not.toBe('child.finished');
    await reconciler.makePass();
    expect(await last()).toBe('child.finished');
  });

  test('forgets workers that are long gone', async () => {
    await beat(store, { id: 'gone', host: 'h', pid: 1, version: 'test', isDraining: false });
    await store.pool.query(`update worker set heartbeat_at = heartbeat_at - interval '1 day'`);
    await reconciler.makePass();
    expect(await listWorkers(store, 2_592_000_000)).toEqual([]);
  });

  test('looks by itself, and goes on looking after something was away', async () => {
    await age(await newRun());
    isQueueAway = true;
    clock.pass(timing.everyMs);
    await expect.poll(() => troubles.length).toBe(1);
    isQueueAway = false;
    await expect.poll(() => clock.isAwaited(growingMs(2))).toBe(true);
    clock.pass(growingMs(2));
    await expect.poll(() => rung.length).toBe(1);
  });
});

/** Puts an event at this position that nothing which has happened allows. */
const forge = (runId: string, seq: number): Promise<void> =>
  tamper(
    store,
    `delete from run_event where run_id = '${runId}' and seq = ${seq};
     insert into run_event (run_id, seq, at, type, data, hash)
       values ('${runId}', ${seq}, ${at}, 'run.claimed', '{"worker":"eve","claim":7}', decode('00', 'hex'))`,
  );

async function newFamily(): Promise<{ parentId: string; childId: string }> {
  const parentId = await newRun();
  const path = 'child';
  const awaiting = { for: 'child', workflow: 'hello', inputs: { json: {} } } as const;
  await append(
    parentId,
    claimed('w1'),
    { type: 'step.waiting', at, path, verb: 'workflow', attempt: 1, awaiting },
    { type: 'run.waiting', at },
  );
  const childId = await newRun({ parent: { runId: parentId, path, attempt: 1 }, depth: 1 });
  await append(childId, claimed('w1'), { type: 'run.finished', at, status: 'succeeded', outputs: { json: 1 } });
  await age(childId);
  return { parentId, childId };
}
