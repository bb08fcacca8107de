import type { Turn } from '@baton/engine';
import { type FreshStore, freshStore, requestedEvent, runningRow } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { dueRuns } from './stuckRuns.ts';
import { awaitedTurn, passTurns, storedTurns, turnKey, unpassedTurns } from './turns.ts';

let store: FreshStore;

beforeAll(async () => {
  store = await freshStore();
});

afterAll(() => store.close());

const at = Date.now() - 60_000;
const within = { forMs: 30_000, limit: 100 };

const turnFor = (key: string, more: Partial<Turn> = {}): Turn => ({
  workflow: 'scan',
  isInline: false,
  key,
  limit: 1,
  whenFull: 'queue',
  ...more,
});

const newRun = async (): Promise<string> => (await store.request({ event: requestedEvent({ at }) })).runId;

async function end(runId: string): Promise<void> {
  const opened = await store.journal.open(runId);
  const happened = { type: 'signal.received', at, name: 'x', payload: null, by: 'x' } as const;
  await opened?.log.append({ events: [happened], row: runningRow({ status: 'succeeded', endedAt: at }) });
}

const isAdmitted = async (runId: string, turn: Turn, dueAt = at): Promise<boolean> =>
  (await storedTurns(store).take(runId, turn, dueAt)).isAdmitted;

describe('[L-042] turns', () => {
  test('are taken by as many runs as the limit allows, however many ask at once', async () => {
    const turn = turnFor('many', { limit: 3 });
    const runs = await Promise.all(Array.from({ length: 12 }, newRun));
    const taken = await Promise.all(runs.map((runId) => isAdmitted(runId, turn)));
    expect(taken.filter(Boolean)).toHaveLength(3);
    // Asking again changes nothing.
    await expect(Promise.all(runs.map((runId) => isAdmitted(runId, turn)))).resolves.toEqual(taken);
  });

  test('pass to the waiting run that is due first when a run ends', async () => {
    const turns = storedTurns(store);
    const turn = turnFor('line');
    const [first, late, early] = [await newRun(), await newRun(), await newRun()];
    expect(await isAdmitted(first, turn)).toBe(true);
    expect(await isAdmitted(late, turn, at + 2_000)).toBe(false);
    expect(await isAdmitted(early, turn, at + 1_000)).toBe(false);
    await expect(turns.pass(first)).resolves.toEqual([]);
    await end(first);
    expect((await turns.pass(first)).map(({ runId }) => runId)).toEqual([early]);
    expect(await isAdmitted(early, turn)).toBe(true);
    expect(await isAdmitted(late, turn)).toBe(false);
  });

  test('Turns are in the order in which runs were accepted, also with clocks that differ and a worker that sees the last run first', async () => {
    const line = turnFor('accepted', { limit: 2 });
    const runs: string[] = [];
    // Each orchestrator's clock is behind that of the one before.
    for (const late of [0, 10, 20, 30])
      runs.push((await store.request({ event: requestedEvent({ at: at - late }), line })).runId);
    const [first = '', second = '', third = '', last = ''] = runs;
    const turns = storedTurns(store);
    const seen = await turns.take(last, line, at);
    expect([seen.isAdmitted, seen.admitted.map(({ runId }) => runId).toSorted()]).toEqual([
      false,
      [first, second].toSorted(),
    ]);
    await expect(awaitedTurn(store, last)).resolves.toEqual({ limit: 2, heldBy: first });
    await expect(awaitedTurn(store, first)).resolves.toBe(undefined);
    await end(second);
    expect((await turns.pass(second)).map(({ runId }) => runId)).toEqual([third]);
  });

  test('keep a place for a delayed run, which no other has to wait for before it is due', async () => {
    const line = turnFor('delayed');
    const request = async (more: object = {}) =>
      (await store.request({ event: requestedEvent({ at, ...more }), line })).runId;
    await request({ notBefore: Date.now() + 3_600_000 });
    const near = await request({ notBefore: at });
    const now = await request();
    const turns = storedTurns(store);
    // It became due before the other one was accepted.
    expect(await turns.take(now, line, at)).toMatchObject({ isAdmitted: false, admitted: [{ runId: near }] });
    await end(near);
    expect((await turns.pass(near)).map(({ runId }) => runId)).toEqual([now]);
    await end(now);
    await expect(turns.pass(now)).resolves.toEqual([]);
    const turn = { ...line, whenFull: 'reject' } as const;
    await expect(store.request({ event: requestedEvent({ at }), turn })).resolves.toMatchObject({ kind: 'created' });
  });

  test('Turns are given to a delayed run that a worker finds due, though the clock of the database is behind', async () => {
    const line = turnFor('ahead');
    const event = requestedEvent({ at, notBefore: Date.now() + 60_000 });
    const { runId } = await store.request({ event, line });
    expect(await isAdmitted(runId, line)).toBe(true);
  });

  test('Turns are for a worker to look after until one has seen their runs', async () => {
    const line = turnFor('unseen');
    const request = async () => (await store.request({ event: requestedEvent({ at }), line })).runId;
    const [first, next] = [await request(), await request()];
    const needy = async () => {
      const { runs } = await dueRuns(store, { ...within, limit: 1_000 });
      return [first, next].map((wanted) => runs.some(({ runId }) => runId === wanted));
    };
    expect(await needy()).toEqual([true, true]);
    await isAdmitted(next, line);
    expect(await needy()).toEqual([true, false]);
  });

  test('of other keys and of inline workflows are separate', async () => {
    const taken = [turnFor('one'), turnFor('two'), turnFor('one', { isInline: true })].map(async (turn) =>
      isAdmitted(await newRun(), turn),
    );
    await expect(Promise.all(taken)).resolves.toEqual([true, true, true]);
  });

  test('of ended runs that were not passed are found, and the waiting run does not count as stuck', async () => {
    const turn = turnFor('lost');
    const [first, next] = [await newRun(), await newRun()];
    await isAdmitted(first, turn);
    await isAdmitted(next, turn);
    const needy = async (): Promise<string[]> => (await dueRuns(store, within)).runs.map(({ runId }) => runId);
    expect(await needy()).not.toContain(next);
    const unpassed = async (isThorough: boolean) => (await unpassedTurns(store, { ...within, isThorough })).keys;
    await expect(unpassed(true)).resolves.not.toContain(turnKey(turn));
    await end(first);
    await expect(unpassed(false)).resolves.toContain(turnKey(turn));
    expect((await passTurns(store, turnKey(turn))).map(({ runId }) => runId)).toEqual([next]);
    await expect(unpassed(true)).resolves.not.toContain(turnKey(turn));
    // Its bell may be lost, too.
    expect(await needy()).toContain(next);
  });

  test('A turn that was not passed on is found behind any number of turns that are held, page by page', async () => {
    const lost = turnFor('behind others');
    const held = await Promise.all(
      Array.from({ length: 5 }, async (_, at) => isAdmitted(await newRun(), turnFor(`held ${at}`))),
    );
    expect(held).not.toContain(false);
    const last = await newRun();
    await isAdmitted(last, lost);
    await end(last);
    const found: string[] = [];
    let after: string | undefined;
    do {
      const { keys, next } = await unpassedTurns(store, { ...within, limit: 2, after, isThorough: false });
      found.push(...keys);
      after = next;
    } while (after !== undefined);
    expect(found).toContain(turnKey(lost));
  });

  test('of a run that ended while it waited are found by the thorough query', async () => {
    const turn = turnFor('left the line');
    const [first, next] = [await newRun(), await newRun()];
    await isAdmitted(first, turn);
    await isAdmitted(next, turn);
    await end(next);
    const unpassed = async (isThorough: boolean) => (await unpassedTurns(store, { ...within, isThorough })).keys;
    await expect(unpassed(false)).resolves.not.toContain(turnKey(turn));
    await expect(unpassed(true)).resolves.toContain(turnKey(turn));
  });

  test('name the runs that a newer one replaces, except the newest that may stay', async () => {
    const turn = turnFor('replace', { limit: 2, whenFull: 'replace' });
    const runs = [await newRun(), await newRun(), await newRun(), await newRun()];
    const take = (index: number) => storedTurns(store).take(runs[index] ?? '', turn, at + index * 10);
    await take(0);
    await take(1);
    expect((await take(2)).older).toEqual([runs[0]]);
    expect(new Set((await take(3)).older)).toEqual(new Set([runs[0], runs[1]]));
    // As many newer ones came before it: it is the one that goes.
    const late = await newRun();
    await expect(storedTurns(store).take(late, turn, at + 1)).resolves.toMatchObject({ newer: runs[2], older: [] });
  });

  test('may be requested with the run, which is not created without one', async () => {
    const turn = turnFor('at once', { limit: 2, whenFull: 'reject' });
    const requests = Array.from({ length: 6 }, () => store.request({ event: requestedEvent({ at }), turn }));
    const made = await Promise.all(requests);
    const created = made.filter(({ kind }) => kind === 'created').map(({ runId }) => runId);
    expect(created).toHaveLength(2);
    const refused = made.filter(({ kind }) => kind === 'full');
    expect(refused).toHaveLength(4);
    expect(refused.every(({ runId }) => created.includes(runId))).toBe(true);
    await end(created[0] ?? '');
    await expect(store.request({ event: requestedEvent({ at }), turn })).resolves.toMatchObject({ kind: 'created' });
  });

  test('do not change a run that was requested before', async () => {
    const turn = turnFor('again', { whenFull: 'reject' });
    const idempotency = { scope: 'turns', key: 'once', digest: 'd' };
    const ask = () => store.request({ event: requestedEvent({ at }), turn, idempotency });
    const [first, ...others] = await Promise.all([ask(), ask(), ask()]);
    const made = [first, ...others].filter(({ kind }) => kind === 'created');
    expect(made).toHaveLength(1);
    expect(new Set([first, ...others].map(({ runId }) => runId))).toEqual(new Set([made[0]?.runId]));
  });
});
