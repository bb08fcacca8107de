/** What a person says that a lost call answered: asked by the run, or in a retry of it. No worker runs here. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { RunEvent } from '@baton/engine';
import { advance } from '@baton/runner';
import { type FreshStore, freshStore, offeringServer } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { overMcp } from '../testing/overMcp.ts';
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

const place = { path: 'paid', attempt: 1 } as const;

/** A run whose call was sent and not answered. */
async function lostRun(...then: readonly ((at: number) => RunEvent)[]): Promise<string> {
  return lostRunOf('pay', ...then);
}

async function lostRunOf(workflow: string, ...then: readonly ((at: number) => RunEvent)[]): Promise<string> {
  const { body } = await app.ask(`POST /v1/workflows/${workflow}/runs`, { json: {} });
  const run = String(body['id']);
  const call = { verb: 'tool', server: 'bank', tool: 'pay', arguments: { json: {} }, effect: 'write' } as const;
  const failure = { step: 'paid', code: 'outcome-unknown', message: 'It may have happened.' } as const;
  await advance(store.journal, run, ({ at }) => [
    { type: 'run.claimed', at, worker: 'w-1', claim: 1 },
    { type: 'step.started', at, ...place, verb: 'tool', call },
    { type: 'step.unknown', at, ...place, failure },
    ...then.map((one) => one(at)),
  ]);
  return run;
}

/** The id of the question of such a run. */
async function askedQuestion(): Promise<string> {
  const question = { message: 'Did it happen?', form: { type: 'object', required: ['happened'] } };
  const run = await lostRun(
    (at) => ({ type: 'step.waiting', at, ...place, verb: 'tool', awaiting: { for: 'answer', question } }),
    (at) => ({ type: 'run.waiting', at }),
  );
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

const failure = { code: 'outcome-unknown', message: 'It may have happened.' } as const;
const failedRun = (): Promise<string> => lostRun((at) => ({ type: 'run.finished', at, status: 'failed', failure }));

const retry = async (run: string, body: object, key?: string) =>
  app.ask(`POST /v1/runs/${run}/retry`, { json: body, ...(key === undefined ? {} : { key }) });

test.each([
  ['happened', { happened: true, output: { id: 7 } }],
  ['happened, without its answer', { happened: true }],
  ['did not happen', { happened: false }],
])('A retry begins with what a person says of a lost call: it %s.', async (_, said) => {
  const run = await failedRun();
  const told = [{ path: 'paid', ...said }];
  const preview = await retry(run, { told, preview: true });
  const again = { path: 'paid', outcome: 'unknown', mayBeTold: true, lookup: { by: 'person', happened: false } };
  expect(preview).toMatchObject({ status: 200, body: { again: said.happened ? [] : [again] } });
  const { status, body } = await retry(run, { told });
  expect(status).toBe(202);
  const { body: page } = await app.ask(`GET /v1/runs/${String(body['id'])}/events`);
  expect((page['data'] as RunEvent[]).slice(1)).toMatchObject([
    { type: 'step.unknown', path: 'paid', kept: 4, call: { tool: 'pay' } },
    { type: 'step.waiting', awaiting: { question: { message: 'Did the call to bank/pay happen?' } } },
    { type: 'question.answered', answer: said },
  ]);
  expect((await app.ask(`GET /v1/questions?run=${String(body['id'])}`)).body['data']).toEqual([]);
});

test('A retry refuses what is said of a call that is not lost, what its tool cannot have answered, and two things of one call.', async () => {
  const run = await failedRun();
  const pointerOf = async (told: object) => {
    const { status, body } = await retry(run, { told: [told] });
    return [status, (body['errors'] as { pointer: string }[])[0]?.pointer];
  };
  expect(await pointerOf({ path: 'paid', happened: true, output: 'x' })).toEqual([422, '/told/0/output']);
  expect(await pointerOf({ path: 'pad', happened: true })).toEqual([422, '/told/0/path']);
  const twice = await retry(run, { told: [true, false].map((happened) => ({ path: 'paid', happened })) });
  expect(twice).toMatchObject({ status: 422, body: { errors: [{ pointer: '/told/1/path', code: 'said-twice' }] } });
  const hintOf = async (path: string) =>
    ((await retry(run, { told: [{ path, happened: true }] })).body['errors'] as { hint?: string }[])[0]?.hint;
  expect(await Promise.all(['pad', 'something-else'].map(hintOf))).toEqual([
    'did you mean "paid"?',
    'there is one at paid',
  ]);
});

test.each([
  [
    'a step',
    'steps:\n  - PAY\n  - { id: kept, set: { id: "${{ steps.paid.output.id }}" } }\n',
    'the step "kept" reads',
  ],
  [
    'a step inside another one',
    'steps:\n  - PAY\n  - { id: each, forEach: "${{ [1] }}", steps: [{ set: { id: "${{ steps.paid.output }}" } }] }\n',
    'the step "each" reads',
  ],
  ['the outputs', 'steps: [PAY]\noutputs: { id: "${{ steps.paid.output.id }}" }\n', 'the outputs of the workflow read'],
  [
    'a handler',
    'steps: [PAY]\nfinally: [{ id: last, set: { id: "${{ steps.paid.output }}" } }]\n',
    'the step "last" reads',
  ],
])('A retry asks for the answer of a call that happened where something reads it: %s.', async (_, rest, who) => {
  const text = rest.replace('PAY', '{ id: paid, tool: bank/pay, ifUnknown: ask }');
  await app.deploy(`workflow: reads\n${text}`);
  const run = await lostRunOf('reads', (at) => ({ type: 'run.finished', at, status: 'failed', failure }));
  const said = { path: 'paid', happened: true };
  expect(await retry(run, { told: [said], preview: true })).toMatchObject({
    status: 422,
    body: {
      errors: [{ pointer: '/told/0/output', code: 'missing-answer', message: expect.stringContaining(who) as string }],
    },
  });
  expect(await retry(run, { told: [{ path: 'paid', happened: false }], preview: true })).toMatchObject({ status: 200 });
  expect(await retry(run, { told: [{ ...said, output: { id: 7 } }] })).toMatchObject({ status: 202 });
});

test('A retry over MCP says what a person found out of a lost call, as one over REST does.', async () => {
  const run = await failedRun();
  const [starter, both] = [await app.newKey(['runs:write']), await app.newKey(['runs:write', 'questions:answer'])];
  const retryOverMcp = (key: string, told: object) => overMcp(app, key, 'retry_run', { id: run, told: [told] });
  expect(await retryOverMcp(starter, { path: 'paid', happened: true })).toContain('questions:answer');
  expect(await retryOverMcp(both, { path: 'pad', happened: true })).toContain('/told/0/path');
  expect(await retryOverMcp(both, { path: 'x'.repeat(1_001), happened: true })).toContain('1000');
  expect(await retryOverMcp(both, { path: 'paid', happened: 'yes' })).toContain('/told/0/happened');
  await retryOverMcp(both, { path: 'paid', happened: true, output: { id: 7 } });
  const { body } = await app.ask(`GET /v1/runs/${run}`);
  const { body: page } = await app.ask(`GET /v1/runs/${String(body['retriedAs'])}/events`);
  expect((page['data'] as RunEvent[]).at(-1)).toMatchObject({
    type: 'question.answered',
    answer: { happened: true, output: { id: 7 } },
  });
});

test('A run, and the retry of it, show what a person said of a lost call before, who said it and when.', async () => {
  const question = { message: 'Did it happen?', form: { type: 'object', required: ['happened'] } };
  const call = { verb: 'tool', server: 'bank', tool: 'pay', arguments: { json: {} }, effect: 'write' } as const;
  const answer = { happened: false };
  const run = await lostRun(
    (at) => ({ type: 'step.waiting', at, ...place, verb: 'tool', awaiting: { for: 'answer', question } }),
    (at) => ({ type: 'question.answered', at, ...place, answer, by: 'bob' }),
    (at) => ({ type: 'step.started', at, path: 'paid', attempt: 2, verb: 'tool', call }),
    (at) => ({ type: 'step.unknown', at, path: 'paid', attempt: 2, failure: { step: 'paid', ...failure } }),
    (at) => ({ type: 'run.finished', at, status: 'failed', failure }),
  );
  const said = { happened: false, by: 'bob', at: expect.stringMatching(/^\d{4}-.*Z$/) as string };
  expect((await app.ask(`GET /v1/runs/${run}`)).body).toMatchObject({ steps: [{ path: 'paid', said }] });
  expect(await retry(run, { preview: true })).toMatchObject({
    status: 200,
    body: { again: [{ path: 'paid', mayBeTold: true, said }] },
  });
});

test('A key that may not answer questions cannot say what became of a lost call.', async () => {
  const run = await failedRun();
  const [starter, both] = [await app.newKey(['runs:write']), await app.newKey(['runs:write', 'questions:answer'])];
  const told = [{ path: 'paid', happened: true }];
  expect(await retry(run, { told }, starter)).toMatchObject({ status: 403 });
  expect(await retry(run, { told }, both)).toMatchObject({ status: 202 });
});

test('A retry that another person made meanwhile was not told, and says so.', async () => {
  const run = await failedRun();
  await retry(run, { retriedAs: null });
  const told = [{ path: 'paid', happened: true }];
  expect(await retry(run, { told, retriedAs: null })).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('was not told') },
  });
});

test('Lost answers are errors of their server.', async () => {
  await failedRun();
  const { body } = await app.ask('GET /v1/servers/bank/stats');
  const [{ errors, calls } = {}] = body['tools'] as { calls: number; errors: Record<string, number> }[];
  expect(errors).toEqual({ 'outcome-unknown': calls });
});
