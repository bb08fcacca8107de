import { type BeginningRun, Home, RunDrivers, systemClock } from '@baton/runner';
import { cachedPlans, definitionOf, deployWorkflow, pauseWorkflow, proofAuthor } from '@baton/store';
import { type FreshStore, freshStore, MemoryBell, testPorts, testSecrets } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { triggerPrincipal } from '../keys/triggerPrincipal.ts';
import { RunStarter, type StartOptions } from './starter.ts';

let store: FreshStore;
let starter: RunStarter;

beforeAll(async () => {
  store = await freshStore();
  const parts = { store, secrets: testSecrets(store), plans: cachedPlans(store), bell: new MemoryBell() };
  starter = new RunStarter({ ...parts, clock: systemClock, onBellFailed: () => undefined });
  for (const workflow of ['own', 'other', 'limited']) {
    const limit = workflow === 'limited' ? 'concurrency: { limit: 9 }\n' : '';
    const definition = definitionOf(`workflow: ${workflow}\n${limit}steps: [{ set: { a: 1 } }]\n`, 'yaml', {});
    await deployWorkflow(store, { workflow, definition, findings: [], by: 'ada' });
  }
});

afterAll(() => store.close());

test('A trigger starts its own workflow and no other, and none that is paused', async () => {
  const principal = triggerPrincipal('hook own/pushed', 'own');
  const start = (workflow: string) =>
    starter.start({ workflow, version: 1 }, { principal, trigger: { kind: 'webhook' } });
  expect(await start('own')).toMatchObject({ isNew: true });
  await expect(start('other')).rejects.toThrow('No workflow "other" is deployed.');
  await pauseWorkflow(store, 'own', 'ada');
  await expect(start('own')).rejects.toThrow('it was paused by ada');
});

test('A run of a trigger has the logins of who deployed its workflow, also after a proof has pinned it anew', async () => {
  const deploy = (a: number, by: string) => {
    const definition = definitionOf(`workflow: owned\nsteps: [{ set: { a: ${a} } }]\n`, 'yaml', {});
    return deployWorkflow(store, { workflow: 'owned', definition, findings: [], by });
  };
  const personOf = async (workflow: string): Promise<unknown> => {
    const principal = triggerPrincipal(`hook ${workflow}/pushed`, workflow);
    const { runId } = await starter.start({ workflow }, { principal, trigger: { kind: 'webhook' } });
    const [first] = (await store.journal.open(runId))?.events ?? [];
    return first?.type === 'run.requested' ? first.person : undefined;
  };
  const agreedTo = (version: number) => ({ agreed: { workflow: 'owned', version } });
  await deploy(1, 'ana (person-a) via ci (k1)');
  expect(await personOf('owned')).toEqual({ id: 'person-a', name: 'ana', ...agreedTo(1) });
  await deploy(2, proofAuthor);
  expect(await personOf('owned')).toEqual({ id: 'person-a', name: 'ana', ...agreedTo(2) });
  await deploy(3, 'bob (person-b)');
  expect(await personOf('owned')).toEqual({ id: 'person-b', name: 'bob', ...agreedTo(3) });
  expect(await personOf('other')).toBeUndefined();
});

/** A starter of a process that drives runs too: each run for which it asks for a place gets one. */
function atHome(drive?: (beginning: BeginningRun) => Promise<unknown>, worker = 'w1') {
  const [bell, home, plans] = [new MemoryBell(), new Home(), cachedPlans(store)];
  const { journal, blobs } = store;
  const drives = new RunDrivers(testPorts({ worker, journal, blobs, plans, bell }));
  const asked: string[] = [];
  const driven: Promise<unknown>[] = [];
  home.open({
    take: (by) => {
      asked.push(by);
      return async (beginning) => {
        const begun = drive === undefined ? drives.begin(beginning) : drive(beginning);
        driven.push(begun);
        await begun;
      };
    },
  });
  const parts = { store, secrets: testSecrets(store), plans, bell, home };
  const own = new RunStarter({ ...parts, clock: systemClock, onBellFailed: () => undefined });
  const start = (more: Partial<StartOptions> = {}, workflow = 'other', key?: string) =>
    own.start(
      { workflow, version: 1 },
      { principal: triggerPrincipal('hook own/pushed', workflow), ...more },
      key === undefined ? undefined : { scope: 'runs', key, digest: 'd' },
    );
  return { start, asked, driven, rung: () => [...new Set(bell.waiting.map(({ runId }) => runId))] };
}

const typesOf = async (runId: string) => (await store.journal.open(runId))?.events.map(({ type }) => type);

test('A run that has a place is begun by its own process, and no bell rings for it', async () => {
  const { start, driven, rung } = atHome();
  const { runId, isNew } = await start();
  expect(isNew).toBe(true);
  expect((await typesOf(runId))?.slice(0, 2)).toEqual(['run.requested', 'run.claimed']);
  expect(await Promise.all(driven)).toEqual(['finished']);
  expect(rung()).toEqual([]);
});

test('A request whose key has a run gets that run, and its place is given back', async () => {
  const { start, driven } = atHome();
  const first = await start({}, 'other', 'same');
  const [again, together] = await Promise.all([start({}, 'other', 'same'), start({}, 'other', 'new')]);
  expect(again).toEqual({ runId: first.runId, isNew: false });
  expect(together.isNew).toBe(true);
  expect(await Promise.all(driven)).toEqual(['finished', 'finished']);
});

test('A delayed run, and one of a workflow with a concurrency limit, ask for no place', async () => {
  const { start, asked, rung } = atHome();
  const runs = [await start({ delayMs: 60_000 }), await start({}, 'limited')];
  expect(asked).toEqual([]);
  expect(rung()).toEqual([runs[1]?.runId]);
});

test.each([
  ['is left at once', () => Promise.resolve()],
  ['makes no first decision', () => new Promise(() => undefined)],
] as const)('A run whose driver %s is stored without it, and its bell rings', async (_, drive) => {
  const { start, rung } = atHome(drive);
  const { runId, isNew } = await start();
  expect([isNew, await typesOf(runId)]).toEqual([true, ['run.requested']]);
  expect(rung()).toEqual([runId]);
});
