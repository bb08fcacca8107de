import { type EventOf, play } from '@baton/engine';
import { advance } from '@baton/runner';
import { type FreshStore, freshStore, planOf } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { workflowsRefused } from '../runs/workflowsRefused.ts';
import { recordedAnswers } from './recordedAnswers.ts';

const text = `
workflow: asking
steps:
  - { id: asked, tool: s/get, with: { n: 1 } }
  - { id: other, tool: s/put }
  - id: each
    forEach: "\${{ [2, 3] }}"
    as: n
    steps: [{ id: got, tool: s/get, with: { n: "\${{ n }}" } }]
`;

let store: FreshStore;
beforeAll(async () => {
  store = await freshStore();
});
afterAll(() => store.close());

/** A run of the workflow whose calls are answered with what was asked for, or fail with this code. */
async function recorded(failing?: string): Promise<string> {
  const plan = planOf(text, { 's/get': 'read', 's/put': 'write' });
  const { journal } = play(plan, {
    answer: ({ target, arguments: given }) =>
      failing === undefined
        ? { result: { content: [], structuredContent: { target, ...given } } }
        : { failure: { code: failing, message: 'No.' }, delivery: 'unsent' },
  });
  const [first, ...rest] = journal;
  const { runId } = await store.request({ event: first as EventOf<'run.requested'> });
  await advance(store.journal, runId, () => rest);
  return runId;
}

test('The answers of a tool in the last runs of a workflow are found, and those of no other tool', async () => {
  // Both are of the same millisecond: their ids alone say which is the newer.
  const [older, newer] = [await recorded(), await recorded()].toSorted();
  const asked = { workflow: 'asking', server: 's', tool: 'get' };
  const found = await recordedAnswers(store, asked, 1);
  expect(found.map(({ runId, path, result }) => [runId, path, result])).toEqual(
    [
      ['each/1/got', 3],
      ['each/0/got', 2],
      ['asked', 1],
    ].map(([path, n]) => [newer, path, { json: { content: [], structuredContent: { target: 's/get', n } } }]),
  );
  expect(new Set((await recordedAnswers(store, asked, 50)).map(({ runId }) => runId))).toEqual(new Set([newer, older]));
  expect(await recordedAnswers(store, { ...asked, workflow: 'none' }, 50)).toEqual([]);
  expect(await workflowsRefused(store, 0)).toEqual([]);
});

test('A workflow of which a run ended because a tool had changed is found, since that time', async () => {
  await recorded('tool-changed');
  expect(await workflowsRefused(store, 0)).toEqual(['asking']);
  expect(await workflowsRefused(store, Date.now() + 60_000)).toEqual([]);
});
