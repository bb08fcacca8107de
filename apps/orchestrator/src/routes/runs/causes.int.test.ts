/** Failed runs by cause, the filter for the runs of one cause, unknown outcomes by cause, and what models cost. No worker runs here. */
import type { Costs, FailureCauses, UnknownOutcomes } from '@baton/api';
import type { Failure, RunEvent, Usage } from '@baton/engine';
import { advance } from '@baton/runner';
import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { type TestApp, openTestApp } from '../../testing/testApp.ts';

let store: FreshStore;
let app: TestApp;

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url, { servers: { bank: { url: 'http://127.0.0.1:9/mcp' } } });
  for (const workflow of ['sync', 'copy']) await app.deploy(`workflow: ${workflow}\nsteps:\n  - set: { a: 1 }\n`);
  await app.deploy(`
workflow: pay
steps:
  - { id: charged, tool: bank/charge, with: { amount: 13 }, ifUnknown: check, check: { tool: bank/find, happened: "result.text != ''" } }
  - { id: refunded, tool: bank/refund, ifUnknown: ask }
`);
});

afterAll(async () => {
  await app.close();
  await store.close();
});

/** What a worker would append. */
async function failedRun(workflow: string, message: string, step = 'pull', tag = 'none'): Promise<string> {
  const { body } = await app.ask(`POST /v1/workflows/${workflow}/runs`, { json: { tags: [tag] } });
  const failure: Failure = { code: 'tool-failed', message, step };
  await advance(store.journal, String(body['id']), ({ at }) => [
    { type: 'run.claimed', at, worker: 'w-1', claim: 1 },
    { type: 'run.finished', at, status: 'failed', failure },
  ]);
  return String(body['id']);
}

const causes = async (query = '', key?: string): Promise<FailureCauses> =>
  (await app.ask(`GET /v1/runs/causes${query}`, key === undefined ? {} : { key })).body as unknown as FailureCauses;

const idsIn = async (query: string): Promise<unknown[]> =>
  ((await app.ask(`GET /v1/runs?${query}`)).body['data'] as { id: string }[]).map(({ id }) => id);

test('Failed runs are grouped by workflow, step and cause, and `like` selects the runs of one of them everywhere', async () => {
  const locked = [await failedRun('sync', 'row 7 is locked'), await failedRun('sync', 'row 19 is locked')];
  const disk = await failedRun('sync', 'no disk', 'push', 'night');
  const ofCopy = await failedRun('copy', 'row 7 is locked');
  await app.ask(`POST /v1/runs/${locked[0]}/retry`, { json: {} });

  const { data, ...span } = await causes();
  expect(data.map(({ first: _first, last: _last, counts, ...cause }) => ({ ...cause, counted: sum(counts) }))).toEqual([
    {
      workflow: 'sync',
      step: 'pull',
      code: 'tool-failed',
      cause: 'row … is locked',
      count: 2,
      counted: 2,
      retried: 1,
      run: locked[1],
      message: 'row 19 is locked',
    },
    expect.objectContaining({ workflow: 'copy', run: ofCopy, count: 1 }),
    expect.objectContaining({ step: 'push', run: disk, count: 1, retried: 0 }),
  ]);
  expect(span).not.toHaveProperty('cut');
  expect((await causes('?tag=night')).data).toMatchObject([{ run: disk }]);
  expect((await causes('?to=2020-01-01')).data).toEqual([]);

  expect(await idsIn(`like=${locked[0]}`)).toEqual(locked.toReversed());
  expect(await idsIn(`like=${locked[0]}&workflow=copy`)).toEqual([]);
  expect(await idsIn(`like=${locked[0]}&retried=no`)).toEqual([locked[1]]);
  expect(await idsIn('retried=yes')).toEqual([locked[0]]);
  const preview = { filter: { like: locked[1] }, preview: true };
  expect((await app.ask('POST /v1/runs/retry', { json: preview })).body).toMatchObject({ count: 1 });
  const all = `from=2020-01-01T00:00:00Z&to=2099-01-01T00:00:00Z&buckets=1&like=${locked[0]}`;
  expect((await app.ask(`GET /v1/runs/histogram?${all}`)).body).toMatchObject({ data: [{ counts: { failed: 2 } }] });
});

test('A key sees no causes of workflows that are not its own, and cannot ask whether a run of one has failed', async () => {
  const hidden = await failedRun('sync', 'a secret place');
  const key = await app.newKey(['runs:read'], { workflows: ['copy'] });
  expect((await causes('', key)).data.map(({ workflow }) => workflow)).toEqual(['copy']);
  const refused = { status: 422, body: { errors: [{ pointer: '?like', message: 'No failed run has this id.' }] } };
  expect(await app.ask(`GET /v1/runs?like=${hidden}`, { key })).toMatchObject(refused);
  const unknown = '01a21c2a-47a2-7961-96a7-32085e0df1a8';
  expect(await app.ask(`GET /v1/runs?like=${unknown}`)).toMatchObject(refused);
  expect(await app.ask('GET /v1/runs?like=nope')).toMatchObject(refused);
  const body = { filter: { like: unknown }, preview: true };
  expect(await app.ask('POST /v1/runs/retry', { json: body })).toMatchObject({
    body: { errors: [{ pointer: '/filter/like' }] },
  });
});

test('A failure with texts that Postgres cannot read has a cause like others', async () => {
  const run = await failedRun('copy', 'half \ud800 and \0 nothing');
  expect((await causes(`?like=${run}`)).data).toMatchObject([{ run, count: 1 }]);
});

interface LostCall {
  readonly path: string;
  readonly worker: string;
  readonly session?: string;
  readonly lost: Pick<Failure, 'code' | 'message'>;
}

/** A run whose call was sent and not answered, as workers write it; `then`: what follows in its journal. */
async function runWithUnknown({ path, worker, session, lost }: LostCall, then: RunEvent[] = []): Promise<string> {
  const { body } = await app.ask('POST /v1/workflows/pay/runs', { json: {} });
  const failure = { code: 'outcome-unknown', message: 'It may have happened.', step: path, details: { lost } };
  const call = {
    verb: 'tool',
    server: 'bank',
    tool: path,
    arguments: { json: { amount: 13 } },
    effect: 'write',
  } as const;
  await advance(store.journal, String(body['id']), ({ at }) => [
    { type: 'run.claimed', at, worker, claim: 1 },
    { type: 'step.started', at, path, verb: 'tool', attempt: 1, call },
    { type: 'run.claimed', at, worker: 'the next', claim: 2 },
    { type: 'step.unknown', at, path, attempt: 1, failure, ...(session === undefined ? {} : { session }) },
    ...then.map((event) => ({ ...event, at })),
  ]);
  return String(body['id']);
}

const unknown = async (query = '', key?: string): Promise<UnknownOutcomes> =>
  (await app.ask(`GET /v1/runs/unknown${query}`, key === undefined ? {} : { key })).body as unknown as UnknownOutcomes;

const callsIn = async (query: string): Promise<unknown[]> =>
  ((await app.ask(`GET /v1/audit/calls?${query}`)).body['data'] as { run: string }[]).map(({ run }) => run);

test('Unknown outcomes are listed by what lost the answers, with what finds them out, until they are known or continued', async () => {
  const broke = { code: 'connection-lost', message: 'The server died (exit code 7).' };
  const died = { code: 'worker-lost', message: 'The worker died.' };
  const end: RunEvent = {
    type: 'run.finished',
    at: 0,
    status: 'failed',
    failure: { code: 'outcome-unknown', message: 'x', step: 'charged' },
  };
  const onSession = { path: 'charged', worker: 'w-1', session: 'bank#1', lost: broke };
  const first = await runWithUnknown(onSession, [end]);
  const second = await runWithUnknown(onSession, [end]);
  const other = await runWithUnknown({ ...onSession, session: 'bank#2' }, [end]);
  const ofWorker = await runWithUnknown({ path: 'charged', worker: 'w-2', lost: died }, [end]);
  const form = { type: 'object' };
  const question = { message: 'Did it happen?', form };
  const asking = await runWithUnknown({ path: 'refunded', worker: 'w-2', lost: died }, [
    { type: 'step.waiting', at: 0, path: 'refunded', verb: 'tool', attempt: 1, awaiting: { for: 'answer', question } },
    { type: 'run.waiting', at: 0 },
  ]);
  const late: RunEvent = {
    type: 'step.succeeded',
    at: 0,
    path: 'charged',
    verb: 'tool',
    attempt: 1,
    value: { json: 1 },
  };
  const known = await runWithUnknown(onSession, [late]);

  const { count, data } = await unknown();
  expect(count).toBe(5);
  expect(data.map(({ code, server, worker, calls }) => [code, server, worker, calls.map(({ run }) => run)])).toEqual([
    ['worker-lost', undefined, 'w-2', [asking, ofWorker]],
    ['connection-lost', 'bank', 'w-1', [other]],
    ['connection-lost', 'bank', 'w-1', [second, first]],
  ]);
  expect(data[2]).toMatchObject({ cause: broke.message });
  expect(data[0]?.calls).toMatchObject([
    {
      step: 'refunded',
      target: 'bank/refunded',
      ifUnknown: 'ask',
      question: expect.stringContaining(asking) as string,
    },
    { step: 'charged', arguments: '{"amount":13}', ifUnknown: 'check', check: 'bank/find', status: 'failed' },
  ]);

  expect(await idsIn('outcome=unknown')).toEqual([asking, ofWorker, other, second, first]);
  expect(await idsIn('outcome=unknown&status=waiting')).toEqual([asking]);
  expect(await idsIn(`parent=${first}`)).toEqual([]);
  expect(await idsIn('outcome=unknown&parent=none&limit=1')).toEqual([asking]);
  // The audit tells what was first known.
  expect(await callsIn('outcome=unknown')).toEqual([known, asking, ofWorker, other, second, first]);
  expect(await callsIn('outcome=unknown&limit=1')).toEqual([known]);
  expect(await callsIn('outcome=succeeded&workflow=pay')).toEqual([]);
  expect(await callsIn('effect=read')).toEqual([]);
  expect(await callsIn('effect=write&limit=2')).toEqual([known, asking]);

  const retry = await app.ask(`POST /v1/runs/${first}/retry`, { json: {} });
  // The call is not known until the retry has looked it up: it stands with the retry, and no more with the first run.
  const left = (await unknown('?retried=no')).data.flatMap(({ calls }) => calls.map(({ run }) => run));
  expect(left).toEqual(expect.arrayContaining([retry.body['id'], second]));
  expect(left).not.toContain(first);
  expect(left).toHaveLength(5);
  expect((await unknown('?retried=yes')).data).toMatchObject([
    { calls: [{ run: first, retriedAs: expect.anything() }] },
  ]);
  expect(await unknown('?workflow=sync')).toEqual({ count: 0, data: [] });
  const key = await app.newKey(['runs:read'], { workflows: ['copy'] });
  expect((await unknown('', key)).count).toBe(0);
});

const sum = (counts: readonly number[]): number => counts.reduce((all, one) => all + one, 0);

/** What a worker would append. */
async function paidRun(workflow: string, usage: Usage, key?: string): Promise<string> {
  const { body } = await app.ask(`POST /v1/workflows/${workflow}/runs`, { json: {}, ...(key && { key }) });
  const step = { path: 'a', verb: 'sample', attempt: 1 } as const;
  await advance(store.journal, String(body['id']), ({ at }) => [
    { type: 'run.claimed', at, worker: 'w-1', claim: 1 },
    { type: 'step.started', at, ...step },
    { type: 'step.succeeded', at, ...step, value: { json: {} }, usage },
  ]);
  return String(body['id']);
}

test('What models cost is summed by day, workflow, model and key, for the workflows of the key that asks', async () => {
  const key = await app.newKey(['runs:read', 'runs:write'], { workflows: ['copy'] });
  const paid = { model: 'acme/large', inputTokens: 1_000, outputTokens: 10, usd: 0.001 };
  const runs = await Promise.all(Array.from({ length: 20 }, () => paidRun('sync', paid)));
  await paidRun('copy', { model: 'acme/small', inputTokens: 5, outputTokens: 5, estimated: true }, key);
  await paidRun('copy', { model: 'of a client' }, key);

  const costs = async (query: string, as?: string): Promise<Costs> =>
    (await app.ask(`GET /v1/costs${query}`, as === undefined ? {} : { key: as })).body as unknown as Costs;
  const large = { answers: 20, inputTokens: 20_000, outputTokens: 200, usd: 0.02 };
  const small = { answers: 1, inputTokens: 5, outputTokens: 5, usd: 0, estimated: 1, unpriced: 1 };
  const unknown = { answers: 1, inputTokens: 0, outputTokens: 0, usd: 0, unknown: 1 };
  const all = await costs('');
  expect(all.data).toEqual([
    { model: 'acme/large', ...large },
    { model: 'acme/small', ...small },
    { model: 'of a client', ...unknown },
  ]);
  expect(all.total).toEqual({
    ...large,
    answers: 22,
    inputTokens: 20_005,
    outputTokens: 205,
    estimated: 1,
    unpriced: 1,
    unknown: 1,
  });
  const apart = await costs('?by=day&by=workflow&by=key');
  expect(apart.data).toMatchObject([
    { day: all.to, workflow: 'sync', answers: 20 },
    { day: all.to, workflow: 'copy', answers: 2 },
  ]);
  expect(apart.data[0]?.key).not.toBe(apart.data[1]?.key);
  expect((await costs('?by=workflow', key)).data.map(({ workflow }) => workflow)).toEqual(['copy']);
  expect((await costs('?workflow=sync', key)).total.answers).toBe(0);
  expect((await costs('?to=2020-01-01')).data).toEqual([]);
  expect((await app.ask('GET /v1/costs?from=2026-11-02&to=2026-11-01')).status).toBe(422);
  expect((await app.ask(`GET /v1/runs/${runs[0]}`)).body).toMatchObject({ spent: { tokens: 1_010, usd: 0.001 } });
  expect((await app.ask('GET /v1/runs?workflow=sync&limit=1')).body['data']).toMatchObject([{ spent: { usd: 0.001 } }]);
});
