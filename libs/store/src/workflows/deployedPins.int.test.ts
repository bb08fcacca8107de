import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { type Pins, definitionOf } from './definitions.ts';
import { cachedPins } from './deployedPins.ts';
import { deployWorkflow } from './deployWorkflow.ts';
import { deleteWorkflow } from './workflows.ts';

let store: FreshStore;

beforeAll(async () => {
  store = await freshStore();
});

afterAll(() => store.close());

const digests = { contract: 'c', text: 't', isForChecks: true } as const;

/** With one tool, whose description has this length. */
const pinsOf = (tool: string, length = 1): Pins => ({
  [tool]: {
    effect: 'read',
    from: 'annotations',
    ...digests,
    definition: { description: 'x'.repeat(length), inputSchema: { type: 'object' } },
  },
});

const deploy = (workflow: string, pins: Pins): Promise<object> =>
  deployWorkflow(store, { workflow, definition: definitionOf(workflow, 'yaml', pins), findings: [], by: 'ada' });

test('The pins of deployed workflows are read once for each definition, and those of new versions when they are there.', async () => {
  await deploy('beta', pinsOf('s/one'));
  await deploy('alpha', pinsOf('s/two'));
  await deploy('gone', pinsOf('s/one'));
  await deleteWorkflow(store, 'gone', 'ada');
  const read = cachedPins(store);
  let statements = 0;
  store.pool.on('acquire', () => (statements += 1));
  const alpha = { workflow: 'alpha', version: 1, pins: { 's/two': digests } };
  const beta = { workflow: 'beta', version: 1, pins: { 's/one': digests } };
  expect(await read()).toEqual([alpha, beta]);
  expect(statements).toBe(2);
  expect(await read()).toEqual([alpha, beta]);
  expect(statements).toBe(3);
  await deploy('beta', pinsOf('s/three'));
  expect(await read()).toEqual([alpha, { workflow: 'beta', version: 2, pins: { 's/three': digests } }]);
});

test('Pins that no answer of Postgres has room for at once are all read.', async () => {
  for (const n of [1, 2, 3]) await deploy(`large-${n}`, pinsOf(`s/large-${n}`, 3 * 1024 * 1024));
  const large = (await cachedPins(store)()).filter(({ workflow }) => workflow.startsWith('large'));
  expect(large.map(({ pins }) => Object.keys(pins))).toEqual([['s/large-1'], ['s/large-2'], ['s/large-3']]);
});
