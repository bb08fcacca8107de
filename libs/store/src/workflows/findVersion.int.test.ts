import { type FreshStore, freshStore, requestedEvent } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { OutdatedError } from '../runs/requestRun.ts';
import type { RequestOutcome } from '../runs/runRequest.ts';
import { type Definition, definitionOf } from './definitions.ts';
import { deployWorkflow } from './deployWorkflow.ts';
import { cachedPlans } from './plans.ts';
import { deleteWorkflow } from './workflows.ts';

let store: FreshStore;

beforeAll(async () => {
  store = await freshStore();
});

afterAll(() => store.close());

async function deploy(workflow: string, text: string): Promise<Definition> {
  const source = `workflow: ${workflow}\nsteps:\n  - { id: one, tool: files/${text} }\n`;
  const definition = definitionOf(source, 'yaml', { [`files/${text}`]: { effect: 'read', from: 'annotations' } });
  await deployWorkflow(store, { workflow, definition, findings: [], by: 'key-1' });
  return definition;
}

describe('the version that a run is to be started with', () => {
  test('is the newest, as soon as it is deployed, or the one that is asked for', async () => {
    const first = await deploy('moving', 'a');
    await expect(store.findVersion({ workflow: 'moving' })).resolves.toMatchObject({
      version: 1,
      definition: first.digest,
    });
    const second = await deploy('moving', 'b');
    const found = await Promise.all([
      store.findVersion({ workflow: 'moving' }),
      store.findVersion({ workflow: 'moving', version: 1 }),
      store.findVersion({ workflow: 'moving', version: 3 }),
      store.findVersion({ workflow: 'nothing' }),
      store.findVersion({ workflow: 'moving' }),
    ]);
    const deployedBy = 'key-1';
    const newest = { version: 2, definition: second.digest, deployedBy };
    const oldest = { version: 1, definition: first.digest, deployedBy };
    expect(found).toEqual([newest, oldest, undefined, undefined, newest]);
  });

  test('may be remembered, and makes no run once it is not the newest any more, or gone', async () => {
    const first = await deploy('remembered', 'a');
    expect(store.rememberedVersion('remembered')).toBeUndefined();
    await store.findVersion({ workflow: 'remembered', version: 1 });
    expect(store.rememberedVersion('remembered')).toBeUndefined();
    await store.findVersion({ workflow: 'remembered' });
    const known = store.rememberedVersion('remembered');
    expect(known).toEqual({ version: 1, definition: first.digest, deployedBy: 'key-1' });
    const idempotency = { scope: 'remembered', key: 'k', digest: 'd' };
    const request = (): Promise<RequestOutcome> =>
      store.request({ event: requestedEvent({ workflow: 'remembered', ...known }), isNewest: true });
    await expect(request()).resolves.toMatchObject({ kind: 'created' });
    await deploy('remembered', 'b');
    const event = requestedEvent({ workflow: 'remembered', ...known });
    const other = store.request({ event });
    await expect(store.request({ event, isNewest: true, idempotency })).rejects.toThrow(OutdatedError);
    await expect(other).resolves.toMatchObject({ kind: 'created' });
    // The key is not used up.
    const found = await store.findVersion({ workflow: 'remembered' });
    const made = await store.request({ event: { ...event, ...found }, isNewest: true, idempotency });
    expect(made.kind).toBe('created');
    await expect(store.request({ event, isNewest: true, idempotency })).resolves.toEqual({ ...made, kind: 'existing' });
    await deleteWorkflow(store, 'remembered', 'ada');
    await expect(store.request({ event: { ...event, ...found }, isNewest: true })).rejects.toThrow(OutdatedError);
  });

  test('is none once the workflow is deleted', async () => {
    await deploy('gone', 'a');
    await deleteWorkflow(store, 'gone', 'ada');
    await expect(store.findVersion({ workflow: 'gone' })).resolves.toBeUndefined();
    await expect(store.findVersion({ workflow: 'gone', version: 1 })).resolves.toBeUndefined();
  });

  test.each([
    ['\0', 1],
    ['\ud800', undefined],
    ['moving', 0],
    ['moving', 1.5],
    ['moving', 2 ** 31],
    ['moving', Number.NaN],
  ])('is none for %j in version %s', async (workflow, version) => {
    await expect(store.findVersion({ workflow, version })).resolves.toBeUndefined();
  });
});

describe('a plan', () => {
  test('is compiled with the effects that the definition was checked with, once', async () => {
    const { digest } = await deploy('planned', 'look');
    const plans = cachedPlans(store);
    const [plan, again] = await Promise.all([plans(digest), plans(digest)]);
    expect(plan.steps.steps[0]).toMatchObject({ verb: 'tool', effect: { effect: 'read', from: 'annotations' } });
    expect(again).toBe(plan);
  });

  test('is not there for an unknown digest, and asked for again the next time', async () => {
    const plans = cachedPlans(store);
    const definition = definitionOf('workflow: later\nsteps:\n  - set: { a: 1 }\n', 'yaml', {});
    await expect(plans(definition.digest)).rejects.toThrow('no definition');
    await deployWorkflow(store, { workflow: 'later', definition, findings: [], by: 'key-1' });
    await expect(plans(definition.digest)).resolves.toMatchObject({ workflow: 'later' });
  });
});
