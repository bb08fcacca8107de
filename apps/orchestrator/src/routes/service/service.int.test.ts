import { openStore } from '@baton/store';
import { type FaultProxy, type FreshStore, faultProxy, freshStore, testSecretKey } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type TestApp, openTestApp } from '../../testing/testApp.ts';

let store: FreshStore;
/** What `app` speaks to; its queue has a way of its own. */
let postgres: FaultProxy;
let queue: FaultProxy;
let app: TestApp;
let closeStore: () => Promise<void>;

const proxied = (url: string, { port }: FaultProxy): string => {
  const other = new URL(url);
  other.hostname = '127.0.0.1';
  other.port = String(port);
  return other.href;
};

beforeAll(async () => {
  store = await freshStore();
  const { hostname, port } = new URL(store.url);
  const target = { host: hostname, port: Number(port) };
  [postgres, queue] = await Promise.all([faultProxy(target), faultProxy(target)]);
  const url = proxied(store.url, postgres);
  const far = openStore({ url, secretKey: testSecretKey });
  closeStore = () => far.close();
  app = await openTestApp(far, url, { queueUrl: proxied(store.url, queue) });
  await app.deploy('workflow: hello\nsteps:\n  - set: { a: 1 }\n');
});

afterAll(async () => {
  await app.close();
  await closeStore();
  await Promise.all([postgres.close(), queue.close()]);
  await store.close();
});

/** An answer is kept for a second. */
const readiness = async (): Promise<unknown> => (await app.ask('GET /readyz', { key: '' })).body;

describe('the service', () => {
  test('is alive and ready', async () => {
    expect(await app.ask('GET /healthz', { key: '' })).toMatchObject({ status: 200, body: { status: 'ok' } });
    const parts = {
      postgres: { status: 'ok' },
      queue: { status: 'ok' },
      clock: { status: 'ok' },
      retention: { status: 'ok' },
    };
    await expect.poll(readiness).toMatchObject({ status: 'ok', parts });
  });

  test('without its queue is degraded, and takes runs nevertheless', async () => {
    queue.refuse(true);
    await expect.poll(readiness).toMatchObject({
      status: 'degraded',
      parts: {
        postgres: { status: 'ok' },
        queue: { status: 'away', message: expect.any(String) as string },
        clock: { status: 'ok' },
      },
    });
    expect((await app.ask('GET /readyz', { key: '' })).status).toBe(200);
    expect((await app.ask('POST /v1/workflows/hello/runs', { json: {} })).status).toBe(202);
    queue.refuse(false);
    await expect.poll(readiness).toMatchObject({ status: 'ok' });
  });

  test('without Postgres is down, says so of everything that needs it, and comes back by itself', async () => {
    expect((await app.ask('GET /v1/runs')).status).toBe(200);
    postgres.refuse(true);
    await expect.poll(readiness).toMatchObject({
      status: 'down',
      parts: { postgres: { status: 'away' } },
    });
    const { status: counting, text: counted } = await app.ask('GET /metrics', { key: '' });
    expect(counting).toBe(200);
    expect(counted).not.toMatch(/^baton_questions_open /m);
    const ready = await app.ask('GET /readyz', { key: '' });
    expect(ready.status).toBe(503);
    expect(ready.headers['retry-after']).toBe('1');
    expect(ready.text).not.toMatch(/127\.0\.0\.1|postgres:\/\//);
    expect((await app.ask('GET /healthz', { key: '' })).status).toBe(200);
    const run = '/v1/runs/019a0000-0000-7000-8000-000000000001';
    const reading = ['/v1/runs', '/v1/workflows', '/v1/workflows/hello', run, `${run}/events`].map(
      (path) => `GET ${path}`,
    );
    for (const what of [
      ...reading,
      'POST /v1/workflows/hello/runs',
      `POST ${run}/cancel`,
      'DELETE /v1/workflows/hello',
    ]) {
      const json = what.startsWith('POST') ? {} : undefined;
      const answer = await app.ask(what, { json });
      expect([what, answer.status, answer.body['type']]).toEqual([what, 503, 'urn:baton:problem:dependency-down']);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      expect(answer.text).not.toMatch(/127\.0\.0\.1|ECONN|Prisma|stack/i);
    }
    expect((await app.deploy('workflow: hello\nsteps:\n  - set: { a: 2 }\n')).status).toBe(503);
    postgres.refuse(false);
    await expect.poll(readiness).toMatchObject({ status: 'ok' });
    expect((await app.ask('POST /v1/workflows/hello/runs', { json: {} })).status).toBe(202);
  });
});

describe('/metrics', () => {
  test('counts routes, not addresses, and nothing of workflows, runs or keys', async () => {
    const started = await app.ask('POST /v1/workflows/hello/runs', { json: {} });
    await app.ask(`GET /v1/runs/${String(started.body['id'])}`);
    await app.ask('GET /v1/runs/no-such-run');
    await app.ask('GET /no/such/address');
    const { status, text, headers } = await app.ask('GET /metrics', { key: '' });
    expect(status).toBe(200);
    expect(headers['content-type']).toContain('text/plain');
    expect(text).toMatch(
      /^baton_http_request_seconds_count\{route="\/v1\/runs\/:id",method="GET",status="2xx"\} \d+$/m,
    );
    expect(text).toMatch(/route="\/v1\/runs\/:id",method="GET",status="4xx"/);
    expect(text).toMatch(/route="none",method="GET",status="4xx"/);
    expect(text).toMatch(/^baton_runs_requested_total\{kind="new"\} [1-9]/m);
    expect(text).not.toContain(String(started.body['id']));
    expect(text).not.toMatch(/no-such|hello/);
    for (const [, value] of text.matchAll(/^[a-z_]+(?:\{[^}]*\})? (\S+)$/gm)) expect(Number(value)).not.toBeNaN();
  });

  test('tells how it does with servers', async () => {
    const open = await openTestApp(store, store.url, { servers: { gone: { command: 'no-such-program' } } });
    await open.ask('POST /v1/servers/gone/test', { json: {} });
    const { text } = await open.ask('GET /metrics');
    expect(text).toMatch(/^baton_mcp_sessions\{server="gone",state="idle"\} 0$/m);
    expect(text).toMatch(/^baton_mcp_session_open_seconds_count\{server="gone",outcome="server-unreachable"\} 1$/m);
    await open.close();
  });

  test('metrics that others can reach need a key with the scope metrics, or an admin', async () => {
    for (const parts of [{ publicUrl: 'https://baton.example' }, { trustedProxies: ['127.0.0.1'] }]) {
      const behind = await openTestApp(store, store.url, { parts });
      expect((await behind.ask('GET /metrics', { key: '' })).status).toBe(401);
      await behind.close();
    }
    const open = await openTestApp(store, store.url, { parts: { host: '0.0.0.0' } });
    expect((await open.ask('GET /metrics', { key: '' })).status).toBe(401);
    expect((await open.ask('GET /metrics', { key: await open.newKey(['runs:read']) })).status).toBe(403);
    expect((await open.ask('GET /metrics', { key: await open.newKey(['metrics']) })).status).toBe(200);
    expect((await open.ask('GET /metrics')).status).toBe(200);
    expect((await open.ask('GET /healthz', { key: '' })).status).toBe(200);
    await open.close();
  });
});
