import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { type TestApp, openTestApp } from '../testing/testApp.ts';

let store: FreshStore;
let app: TestApp;

beforeAll(async () => {
  store = await freshStore();
  // The window is longer than any test run.
  const rateLimits = { ofKey: 5, ofAddress: 3, windowMs: 3_600_000 };
  const trustedProxies = ['198.51.100.7', '203.0.113.0/24'];
  app = await openTestApp(store, store.url, { parts: { rateLimits, trustedProxies } });
});

afterAll(async () => {
  await app.close();
  await store.close();
});

const statuses = async (count: number, ask: () => ReturnType<TestApp['ask']>): Promise<number[]> => {
  const all: number[] = [];
  for (let at = 0; at < count; at += 1) all.push((await ask()).status);
  return all;
};

test('a key that asks too often is told when it may again; others are served', async () => {
  const [busy, quiet] = [await app.newKey(['runs:read']), await app.newKey(['runs:read'])];
  expect(await statuses(7, () => app.ask('GET /v1/runs', { key: busy }))).toEqual([200, 200, 200, 200, 200, 429, 429]);
  const refused = await app.ask('GET /v1/workflows', { key: busy });
  expect(refused).toMatchObject({ status: 429, body: { type: 'urn:baton:problem:rate-limited' } });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(refused.headers).toMatchObject({ 'ratelimit-policy': '"key";q=5;w=3600' });
  expect((await app.ask('GET /v1/runs', { key: quiet })).status).toBe(200);
});

test('an address that asks too often without a key is turned away, with a key it is served', async () => {
  const from = { remoteAddress: '192.0.2.20' };
  expect(await statuses(4, () => app.ask('GET /healthz', { key: '', ...from }))).toEqual([200, 200, 200, 429]);
  expect((await app.ask('GET /v1/runs', { key: '', ...from })).status).toBe(429);
  expect((await app.ask('GET /nothing', { key: '', ...from })).status).toBe(429);
  expect((await app.ask('GET /healthz', { key: '', remoteAddress: '192.0.2.21' })).status).toBe(200);
  const key = await app.newKey(['runs:read']);
  expect((await app.ask('GET /v1/runs', { key, ...from })).status).toBe(200);
});

test('a network of IPv6 addresses counts as one', async () => {
  const ask = (address: string) => app.ask('GET /healthz', { key: '', remoteAddress: address });
  const addresses = ['2001:db8::1', '2001:db8::2', '2001:db8::ffff:3', '2001:db8::4'];
  const answers: number[] = [];
  for (const address of addresses) answers.push((await ask(address)).status);
  expect(answers).toEqual([200, 200, 200, 429]);
  expect((await ask('2001:db8:1::1')).status).toBe(200);
});

test('behind a trusted proxy each client counts by itself, and its own claims about its address are ignored', async () => {
  const [proxy, farProxy, stranger] = ['198.51.100.7', '203.0.113.9', '192.0.2.40'];
  const ask = (remoteAddress: string | undefined, forwarded: string) =>
    app.ask('GET /healthz', { key: '', remoteAddress: remoteAddress ?? '', headers: { 'x-forwarded-for': forwarded } });
  expect(await statuses(4, () => ask(proxy, '192.0.2.31'))).toEqual([200, 200, 200, 429]);
  expect((await ask(proxy, '192.0.2.32')).status).toBe(200);
  // The same client by another proxy, and behind an address of its own making.
  expect((await ask(farProxy, '192.0.2.31')).status).toBe(429);
  expect((await ask(proxy, '10.9.9.9, 192.0.2.31')).status).toBe(429);
  let at = 50;
  expect(await statuses(4, () => ask(stranger, `192.0.2.${(at += 1)}`))).toEqual([200, 200, 200, 429]);
});
