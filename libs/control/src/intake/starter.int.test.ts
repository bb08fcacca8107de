import { systemClock } from '@baton/runner';
import { cachedPlans, definitionOf, deployWorkflow, pauseWorkflow } from '@baton/store';
import { type FreshStore, freshStore, MemoryBell, testSecrets } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { triggerPrincipal } from '../keys/triggerPrincipal.ts';
import { RunStarter } from './starter.ts';

let store: FreshStore;
let starter: RunStarter;

beforeAll(async () => {
  store = await freshStore();
  const parts = { store, secrets: testSecrets(store), plans: cachedPlans(store), bell: new MemoryBell() };
  starter = new RunStarter({ ...parts, clock: systemClock, onBellFailed: () => undefined });
  for (const workflow of ['own', 'other']) {
    const definition = definitionOf(`workflow: ${workflow}\nsteps: [{ set: { a: 1 } }]\n`, 'yaml', {});
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
