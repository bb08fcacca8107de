import { type CallResult, type EventOf, type Value, play } from '@baton/engine';
import { isObject } from '@baton/primitives';
import { advance } from '@baton/runner';
import { type FreshStore, freshStore, planOf } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { workflowsRefused } from '../runs/workflowsRefused.ts';
import { callsOfTools } from './listCalls.ts';
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

const failed = (code: string): CallResult => ({ failure: { code, message: 'No.' }, delivery: 'unsent' });

/** A run of the workflow whose calls are answered with what was asked for, after one retry, or fail with this code. */
async function recorded(failing?: string): Promise<string> {
  const plan = planOf(text, { 's/get': 'read', 's/put': 'write' });
  const { journal } = play(plan, {
    answer: ({ target, path, attempt, arguments: asked }) => {
      if (failing !== undefined) return failed(failing);
      if (path === 'asked' && attempt === 1) return failed('server-unreachable');
      return { result: { content: [], structuredContent: { target, ...asked } } };
    },
  });
  const [first, ...rest] = journal;
  const { runId } = await store.request({ event: first as EventOf<'run.requested'> });
  await advance(store.journal, runId, () => rest);
  return runId;
}

/** Each as its run, the path of its step, and the argument that the tool repeated. */
async function answersOf(tools: readonly string[], runsMax: number, workflow = 'asking') {
  const answers = (await Array.fromAsync(recordedAnswers(store, { workflow, tools }, runsMax))).flat();
  return answers.map(({ tool, runId, path, result }) => [tool, runId, path, structuredIn(result)]);
}

const structuredIn = (result: Value): unknown =>
  'json' in result && isObject(result.json) ? result.json['structuredContent'] : undefined;

test('The answers of tools in the last runs of a workflow are found, once each, and those of no other tool', async () => {
  // Both are of the same millisecond: their ids alone say which is the newer.
  const [older = '', newer = ''] = [await recorded(), await recorded()].toSorted();
  const ofGet = [
    ['each/1/got', 3],
    ['each/0/got', 2],
    ['asked', 1],
  ].map(([path, n]) => ['s/get', newer, path, { target: 's/get', n }]);
  const ofPut = ['s/put', newer, 'other', { target: 's/put' }];
  expect(await answersOf(['s/get'], 1)).toEqual(ofGet);
  expect(await answersOf(['s/get', 's/none', 's/put'], 1)).toEqual([...ofGet, ofPut]);
  expect(new Set((await answersOf(['s/get'], 50)).map(([, runId]) => runId))).toEqual(new Set([newer, older]));
  expect(await answersOf(['s/get'], 50, 'none')).toEqual([]);
  expect(await workflowsRefused(store, 0)).toEqual([]);
});

test('A tool that is called often leaves room for the calls of the others.', async () => {
  const runId = await recorded();
  const calls = await callsOfTools(store, ['s/get', 's/put'], [runId], 1);
  expect([...calls].map(([tool, own]) => [tool, own.map(({ path }) => path)])).toEqual([
    ['s/get', ['each/1/got']],
    ['s/put', ['other']],
  ]);
});

test('The last runs of a workflow are read once for all of its tools.', async () => {
  await recorded();
  let statements = 0;
  store.pool.on('acquire', () => (statements += 1));
  await answersOf(['s/get'], 50);
  const ofOne = statements;
  await answersOf(['s/get', 's/put'], 50);
  expect(statements - ofOne).toBe(ofOne + 1);
});

test('A workflow of which a run ended because a tool had changed is found, since that time', async () => {
  await recorded('tool-changed');
  expect(await workflowsRefused(store, 0)).toEqual(['asking']);
  expect(await workflowsRefused(store, Date.now() + 60_000)).toEqual([]);
});
