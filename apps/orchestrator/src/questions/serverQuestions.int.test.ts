/** What a server asks in the middle of a call, over the API: listed, answered once, and the call goes on. */
import { createRequire } from 'node:module';

import { refusals } from '@baton/control';
import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { type TestApp, openTestApp } from '../testing/testApp.ts';
import { type TestWorker, startTestWorker } from '../testing/testWorker.ts';

const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
const servers = { every: { command: process.execPath, args: [everything], baton: { elicitation: 'ask' } } };

let store: FreshStore;
let app: TestApp;
let worker: TestWorker;

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url, { servers });
  worker = await startTestWorker(store.url, servers);
});

afterAll(async () => {
  await worker.stop();
  await app.close();
  await store.close();
});

test('a question of a server is listed, answered once and in its form, and the server has the answer', async () => {
  const workflow = `
workflow: sign-up
steps:
  - { id: form, tool: every/trigger-elicitation-request }
outputs: { said: "\${{ json(steps.form.content) }}" }
`;
  const started = await app.ask('POST /v1/runs', { json: { workflow } });
  expect(started.status).toBe(202);
  const runId = String(started.body['id']);
  const asked = async () => (await app.ask('GET /v1/questions?workflow=sign-up')).body['data'] as { id: string }[];
  await expect.poll(asked).toHaveLength(1);
  const [question] = await asked();
  expect(question).toMatchObject({
    runId,
    step: 'form',
    status: 'open',
    message: 'every: Please provide inputs for the following fields:',
    form: { properties: { name: { type: 'string' } } },
  });
  const address = `/v1/questions/${question?.id ?? ''}`;
  const answer = (given: object) => app.ask(`POST ${address}/answer`, { json: { answer: given } });
  expect(await answer({ check: true })).toMatchObject({ status: 422 });
  const both = await Promise.all([answer({ name: 'Ada' }), answer({ name: 'Bob' })]);
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  const winner = both[0].status === 200 ? 'Ada' : 'Bob';

  const run = async () => (await app.ask(`GET /v1/runs/${runId}`)).body;
  await expect.poll(async () => (await run())['status']).toBe('succeeded');
  expect(JSON.stringify((await run())['outputs'])).toContain(`Name: ${winner}`);
  expect((await app.ask(`GET ${address}`)).body).toMatchObject({
    status: 'answered',
    answeredBy: expect.any(String) as string,
  });
  expect(await asked()).toEqual([]);
});

test('an address that a server wants opened is shown with the question, and only a person opens it', async () => {
  const workflow = `
workflow: agree
steps:
  - { id: it, tool: every/trigger-url-elicitation, with: { url: https://example.com/agree, message: Agree there. } }
outputs: { said: "\${{ json(steps.it.content) }}" }
`;
  const runId = String((await app.ask('POST /v1/runs', { json: { workflow } })).body['id']);
  const asked = async () => (await app.ask('GET /v1/questions?workflow=agree')).body['data'] as { id: string }[];
  await expect.poll(asked).toMatchObject([{ status: 'open', url: 'https://example.com/agree' }]);
  const id = (await asked())[0]?.id;
  const answer = await app.ask(`POST /v1/questions/${id}/answer`, { json: { answer: { accept: false } } });
  expect(answer.status).toBe(200);
  const run = async () => (await app.ask(`GET /v1/runs/${runId}`)).body;
  await expect.poll(async () => (await run())['status']).toBe('succeeded');
  expect(JSON.stringify((await run())['outputs'])).toContain('User declined');
});

test('a process that only lists what servers offer answers no question', async () => {
  const by = {
    server: 'every',
    session: 'every#1',
    signal: new AbortController().signal,
    policy: 'allow',
    runs: [],
  } as const;
  expect(await refusals.elicitation?.({}, by)).toEqual({ action: 'decline' });
  await expect(refusals.sampling?.({}, by)).rejects.toMatchObject({ code: 'server-rejected' });
});
