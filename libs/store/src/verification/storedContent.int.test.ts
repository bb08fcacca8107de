import { type FreshStore, freshStore, requestedEvent, tamper } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { definitionOf, putDefinition } from '../workflows/definitions.ts';
import { verifyAudit } from './verifyAudit.ts';

const nowMs = 1_950_000_000_000;
const keep = { runsMs: Infinity, recordsMs: Infinity };
let store: FreshStore;

beforeAll(async () => {
  store = await freshStore();
});

afterAll(() => store.close());

test('verify finds that the definition of a run is gone, also where it came with the run', async () => {
  const definition = definitionOf('workflow: passing\nsteps:\n  - set: { amount: 1 }\n', 'yaml', {});
  await putDefinition(store, definition);
  await store.request({ event: requestedEvent({ definition: definition.digest }) });
  expect(await verifyAudit(store, { nowMs, keep })).toMatchObject({ isIntact: true });
  await tamper(store, `delete from definition where digest = '${definition.digest}'`);
  expect(await verifyAudit(store, { nowMs, keep })).toMatchObject({
    isIntact: false,
    problem: { kind: 'missing', where: `definition ${definition.digest}` },
  });
});
