/** What a person who is asked says that a lost call answered. No worker runs here. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { advance } from '@baton/runner';
import { type FreshStore, freshStore, offeringServer } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { type TestApp, openTestApp } from '../testing/testApp.ts';

const folder = mkdtempSync(join(tmpdir(), 'baton-'));
const bankFile = join(folder, 'bank.json');
const receipt = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] };

let store: FreshStore;
let app: TestApp;

beforeAll(async () => {
  const tools = [{ name: 'pay', inputSchema: { type: 'object' }, outputSchema: receipt }];
  writeFileSync(bankFile, JSON.stringify(tools));
  store = await freshStore();
  app = await openTestApp(store, store.url, { servers: { bank: offeringServer(bankFile, tools) } });
  await app.ask('POST /v1/servers/bank/test', { json: {} });
  await app.deploy('workflow: pay\nsteps: [{ id: paid, tool: bank/pay, ifUnknown: ask }]\n');
});

afterAll(async () => {
  await app.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The id of the question of a run whose call was sent and not answered. */
async function askedQuestion(): Promise<string> {
  const { body } = await app.ask('POST /v1/workflows/pay/runs', { json: {} });
  const run = String(body['id']);
  const place = { path: 'paid', attempt: 1 };
  const call = { verb: 'tool', server: 'bank', tool: 'pay', arguments: { json: {} }, effect: 'write' } as const;
  const failure = { code: 'outcome-unknown', message: 'It may have happened.', step: 'paid' } as const;
  const question = { message: 'Did it happen?', form: { type: 'object', required: ['happened'] } };
  await advance(store.journal, run, ({ at }) => [
    { type: 'run.claimed', at, worker: 'w-1', claim: 1 },
    { type: 'step.started', at, ...place, verb: 'tool', call },
    { type: 'step.unknown', at, ...place, failure },
    { type: 'step.waiting', at, ...place, verb: 'tool', awaiting: { for: 'answer', question } },
    { type: 'run.waiting', at },
  ]);
  const { body: list } = await app.ask(`GET /v1/questions?run=${run}`);
  return (list['data'] as { id: string }[])[0]?.id ?? '';
}

const answer = async (told: object) =>
  app.ask(`POST /v1/questions/${await askedQuestion()}/answer`, { json: { answer: told } });

test.each([
  ['a text', { happened: true, output: 'nonsense' }],
  ['without what the tool always answers', { happened: true, output: {} }],
  ['of another type', { happened: true, output: { id: 'x' } }],
  ['null', { happened: true, output: null }],
])('A person cannot say that a lost call gave what is no answer of its tool: %s', async (_, told) => {
  expect(await answer(told)).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '/answer/output', code: 'invalid-answer' }] },
  });
});

test.each([
  ['an answer of its tool', { happened: true, output: { id: 7 } }],
  ['without one', { happened: true }],
  ['as not made', { happened: false, output: 'nonsense' }],
])('A person tells what became of a lost call: %s', async (_, told) => {
  expect(await answer(told)).toMatchObject({ status: 200 });
});
