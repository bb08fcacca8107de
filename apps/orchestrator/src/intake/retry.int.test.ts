/** A retry that is sent twice, and retries of one run by several clients. No worker runs here. */
import { AsyncLocalStorage } from 'node:async_hooks';

import { advance } from '@baton/runner';
import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { type TestAnswer, type TestApp, openTestApp } from '../testing/testApp.ts';

let store: FreshStore;
let app: TestApp;

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url, { parts: { queuedMax: 500 } });
  await app.deploy(source(1));
  watchAnswers(store);
});

afterAll(async () => {
  await app.close();
  await store.close();
});

const source = (value: number): string => `workflow: hello\nsteps:\n  - set: { a: ${value} }\n`;

/** What a worker would append. */
async function fail(runId: unknown): Promise<string> {
  await advance(store.journal, String(runId), ({ at }) => [
    { type: 'run.claimed', at, worker: 'w-1', claim: 1 },
    {
      type: 'run.finished',
      at,
      status: 'failed',
      failure: { code: 'tool-failed', message: 'It failed.', delivery: 'answered' },
    },
  ]);
  return String(runId);
}

const failedRun = async (): Promise<string> =>
  fail((await app.ask('POST /v1/workflows/hello/runs', { json: {} })).body['id']);

const retry = (runId: string, json: object, idempotencyKey?: string, key?: string): Promise<TestAnswer> =>
  app.ask(`POST /v1/runs/${runId}/retry`, {
    json,
    headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
    ...(key !== undefined && { key }),
  });

async function retriesOf(runId: string): Promise<readonly string[]> {
  const { rows } = await store.pool.query<{ id: string }>('select id from run where rerun_of = $1', [runId]);
  return rows.map(({ id }) => id);
}

test('A retry that is repeated with its key gets its run, also after another one was made, and where a key may start no more', async () => {
  const runId = await failedRun();
  const key = await app.newKey(['runs:write'], { limits: { runs: 1 } });
  const first = await retry(runId, { retriedAs: null }, 'own', key);
  expect(first.status).toBe(202);
  const { id } = first.body;
  const refused = { status: 429, body: { type: 'urn:baton:problem:quota-exceeded' } };
  const other = await failedRun();
  await expect.poll(() => retry(other, {}, undefined, key)).toMatchObject(refused);
  expect(await retry(runId, { retriedAs: null }, 'own', key)).toMatchObject({ status: 202, body: { id } });
  await fail(id);
  const ofOther = await retry(runId, { retriedAs: id });
  expect(ofOther.status).toBe(202);
  expect(ofOther.body['id']).not.toBe(id);
  expect(await retry(runId, { retriedAs: null }, 'own', key)).toMatchObject({ status: 202, body: { id } });
  const reused = { status: 422, body: { type: 'urn:baton:problem:idempotency-key-reused' } };
  expect(await retry(runId, {}, 'own', key)).toMatchObject(reused);
  expect(await retriesOf(runId)).toHaveLength(2);
});

test('A retry with the latest version that is repeated with its key gets its run of the version that was the latest then', async () => {
  const runId = await failedRun();
  const json = { version: 'latest', retriedAs: null };
  const first = await retry(runId, json, 'latest');
  expect(first).toMatchObject({ status: 202, body: { version: 1 } });
  await app.deploy(source(2));
  const { id, version } = first.body;
  expect(await retry(runId, json, 'latest')).toMatchObject({ status: 202, body: { id, version, newerVersion: 2 } });
  expect(await retriesOf(runId)).toEqual([id]);
});

test('A retry that is repeated with its key gets the same answer, which names the retry before it and none after it', async () => {
  const runId = await failedRun();
  const before = await retry(runId, {});
  await fail(before.body['id']);
  const first = await retry(runId, {}, 'named');
  expect(first.body).toMatchObject({ retriedAs: before.body['id'] });
  await fail(first.body['id']);
  expect((await retry(runId, {})).body).toMatchObject({ retriedAs: first.body['id'] });
  expect((await retry(runId, {}, 'named')).body).toEqual(first.body);
});

test('A retry that was answered with another client’s gets that one again with its key, also after a third one was made', async () => {
  const runId = await failedRun();
  const others = await retry(runId, { retriedAs: null });
  const first = await retry(runId, { retriedAs: null }, 'joined');
  expect(first.body).toMatchObject({ id: others.body['id'] });
  expect(first.body).not.toHaveProperty('retriedAs');
  await fail(others.body['id']);
  expect((await retry(runId, { retriedAs: others.body['id'] })).status).toBe(202);
  expect((await retry(runId, { retriedAs: null }, 'joined')).body).toEqual(first.body);
  expect(await retriesOf(runId)).toHaveLength(2);
});

interface OvertakenRequest {
  /** In the statements that count. Others may be shared with other requests, which would wait for each other. */
  readonly words: readonly string[];
  /** The statements after whose answer the other request is made. */
  left: number;
  readonly overtake: () => Promise<void>;
}

const overtaken = new AsyncLocalStorage<OvertakenRequest>();

/** Lets another request overtake the one that Postgres has just answered. */
function watchAnswers({ pool }: FreshStore): void {
  const query = pool.query.bind(pool) as (...statement: unknown[]) => Promise<unknown>;
  const watched = async (...statement: unknown[]): Promise<unknown> => {
    const result = await query(...statement);
    const request = overtaken.getStore();
    if (request === undefined || !request.words.some((word) => JSON.stringify(statement).includes(word))) return result;
    request.left -= 1;
    if (request.left === 0) await overtaken.exit(request.overtake);
    return result;
  };
  Object.assign(pool, { query: watched });
}

const clients: readonly (readonly [string, object, string | undefined, readonly number[]])[] = [
  ['of clients that say nothing of other retries', {}, undefined, [202, 409]],
  ['of clients that know of no retry', { retriedAs: null }, undefined, [202]],
  ['with one key', {}, 'one', [202]],
  ['with one key, by a client that knows of no retry,', { retriedAs: null }, 'both', [202]],
];

test.for(clients)('Two retries at once %s make one run, wherever the one overtakes the other', async (client) => {
  const [, json, key, statuses] = client;
  const madeFirst: boolean[] = [];
  do {
    const left = madeFirst.length + 1;
    const runId = await failedRun();
    const ownKey = key && `${key}-${left}`;
    let first: TestAnswer | undefined;
    const overtake = async (): Promise<void> => void (first = await retry(runId, json, ownKey));
    const words = [runId, ownKey ?? runId];
    const second = await overtaken.run({ words, left, overtake }, () => retry(runId, json, ownKey));
    expect(statuses, `after answer ${left}`).toContain(second.status);
    const accepted = [first, second].filter((answer) => answer?.status === 202);
    const made = await retriesOf(runId);
    expect(made, `after answer ${left}`).toHaveLength(1);
    expect(new Set(accepted.map((answer) => answer?.body['id']))).toEqual(new Set(made));
    madeFirst.push(first !== undefined);
  } while (madeFirst.at(-1) === true);
});
