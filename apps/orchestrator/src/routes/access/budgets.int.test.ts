/** Budgets of a day or a month over the API: who sets them, who sees them, and what each way to start a run answers. */
import { createHmac } from 'node:crypto';

import type { RunEvent } from '@baton/engine';
import { advance } from '@baton/runner';
import { listEntries, listFirings } from '@baton/store';
import { type FreshStore, freshStore, soon } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { type TestAnswer, type TestApp, openTestApp } from '../../testing/testApp.ts';

const secret = `whsec_${Buffer.from('a shared secret of ours').toString('base64')}`;

let store: FreshStore;
let app: TestApp;

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url);
  await app.ask('PUT /v1/secrets/HOOK', { json: { value: secret } });
  for (const name of ['payments/a', 'payments/b', 'other'])
    await app.deploy(`workflow: ${name}
on:
  - { id: daily, schedule: "0 6 * * *", overlap: allow }
  - { webhook: in, secret: HOOK, scheme: github }
  - { tool: {} }
steps: [{ set: { a: 1 } }]
`);
});

afterAll(async () => {
  await app.close();
  await store.close();
});

const start = (workflow: string, headers = {}): Promise<TestAnswer> =>
  app.ask(`POST /v1/workflows/${encodeURIComponent(workflow)}/runs`, { json: {}, headers });

const set = (name: string, json: object, key?: string): Promise<TestAnswer> =>
  app.ask(`PUT /v1/budgets/${name}`, { json, ...(key !== undefined && { key }) });

async function ended(id: unknown): Promise<void> {
  await advance(store.journal, String(id), ({ at }): RunEvent[] => [
    { type: 'run.claimed', at, worker: 'w', claim: 1 },
    { type: 'run.finished', at, status: 'failed', failure: { code: 'tool-failed', message: 'no' } },
  ]);
}

const spent = (name: string) => ({
  status: 429,
  body: {
    type: 'urn:baton:problem:budget-spent',
    detail: expect.stringMatching(
      new RegExp(
        String.raw`^The budget ${name} \(payments/\*, each day\) is spent: 2 of 2 runs, until \d{4}-\d\d-\d\dT00:00:00\.000Z\.$`,
      ),
    ) as string,
  },
});

test('A spent budget refuses each way to start a run, and says which, how much and until when; the same request again finds its run', async () => {
  expect(await set('pay', { on: 'payments/*', per: 'day', runs: 2 })).toMatchObject({
    status: 201,
    body: { name: 'pay', limits: [{ unit: 'runs', most: 2, spent: 0 }] },
  });
  const keyed = { 'idempotency-key': 'the-first' };
  const first = await start('payments/a', keyed);
  expect([first.status, (await start('payments/b')).status]).toEqual([202, 202]);
  const refused = await start('payments/b');
  expect(refused).toMatchObject(spent('pay'));
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(86_400);
  expect((await start('payments/a', keyed)).body['id']).toBe(first.body['id']);
  expect((await start('other')).status).toBe(202);

  const id = String(first.body['id']);
  await ended(id);
  expect(await app.ask(`POST /v1/runs/${id}/retry`, { json: {} })).toMatchObject(spent('pay'));
  expect((await app.ask(`POST /v1/runs/${id}/retry`, { json: { preview: true } })).status).toBe(200);

  const triggered = await app.ask('POST /v1/schedules/payments%2Fa.daily/trigger');
  expect(triggered.status).toBe(429);

  const payload = JSON.stringify({ hello: true });
  const signature = `sha256=${createHmac('sha256', secret).update(payload).digest('hex')}`;
  const hook = await app.ask('POST /v1/hooks/payments%2Fa/in', {
    payload,
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': signature, 'x-github-delivery': 'd-1' },
  });
  expect(hook).toMatchObject(spent('pay'));
  const { entries } = await listEntries(store, { action: 'budget.set' }, { limit: 5 });
  expect(entries.map(({ target, detail }) => [target, JSON.parse(detail)])).toEqual([
    ['pay', { on: 'payments/*', per: 'day', runs: 2 }],
  ]);
});

test('A budget is changed and removed, and then no longer refuses', async () => {
  expect((await start('payments/a')).status).toBe(429);
  expect(await set('pay', { on: 'payments/*', per: 'day', runs: 3 })).toMatchObject({
    status: 200,
    body: { limits: [{ unit: 'runs', most: 3, spent: 2 }] },
  });
  expect((await start('payments/a')).status).toBe(202);
  expect((await start('payments/a')).status).toBe(429);
  expect((await app.ask('DELETE /v1/budgets/pay')).status).toBe(204);
  expect((await start('payments/a')).status).toBe(202);
  expect((await app.ask('DELETE /v1/budgets/pay')).status).toBe(404);
});

test('An admin sets budgets; a key sees those whose workflows it may all see', async () => {
  await set('mine', { on: 'payments/*', per: 'month', usd: 5, tokens: 10, writes: 3 });
  await set('all', { on: '*', per: 'month', usd: 0.5 });
  const names = async (key?: string): Promise<string[]> => {
    const { body } = await app.ask('GET /v1/budgets', key === undefined ? {} : { key });
    return (body['data'] as { name: string }[]).map(({ name }) => name);
  };
  expect(await names()).toEqual(['all', 'mine']);
  expect(await names(await app.newKey(['runs:read'], { workflows: ['payments/*'] }))).toEqual(['mine']);
  expect(await names(await app.newKey(['runs:read'], { workflows: ['payments/a'] }))).toEqual([]);
  const author = await app.newKey(['workflows:write', 'runs:write', 'people:write']);
  expect((await set('mine', { on: 'payments/*', per: 'month', usd: 500 }, author)).status).toBe(403);
  expect((await app.ask('DELETE /v1/budgets/mine', { key: author })).status).toBe(403);
  await Promise.all(['mine', 'all'].map((name) => app.ask(`DELETE /v1/budgets/${name}`)));
});

test.each([
  [{ on: 'payments/*', per: 'day' }, 'usd, tokens, writes or runs'],
  [{ on: 'pay*', per: 'day', runs: 1 }, 'a project as in payments/*'],
  [{ on: '*', per: 'week', runs: 1 }, 'day'],
  [{ on: '*', per: 'day', runs: 1.5 }, 'int'],
  [{ on: '*', per: 'day', usd: -1 }, ''],
  [{ on: 'session', per: 'day', writes: 1 }, 'only "*" holds for sessions'],
])('the terms %j are refused', async (terms, why) => {
  const { status, text } = await set('odd', terms);
  expect(status).toBe(422);
  expect(text).toContain(why.replaceAll('"', String.raw`\"`));
});

test('a schedule whose budget is spent starts no run, and what became of its time says why', async () => {
  await set('none', { on: 'other', per: 'day', runs: 0 });
  await app.ask('POST /v1/schedules/other.daily/backfill', {
    json: { from: '2026-11-01T00:00:00Z', to: '2026-11-02T00:00:00Z' },
  });
  await soon(async () => {
    const firings = await listFirings(store, 'other.daily', 5);
    expect(firings).toMatchObject([
      { outcome: 'refused', reason: expect.stringMatching(/^The budget none /) as string },
    ]);
  });
  await app.ask('DELETE /v1/budgets/none');
});
