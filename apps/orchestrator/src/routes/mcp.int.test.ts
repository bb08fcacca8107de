/** `/mcp` as far as it is ours: sessions and their keys. What clients see of it stands in `tests/mcpFace.test.ts`. */
import type { FreshStore } from '@baton/testing';
import { freshStore } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { TestApp } from '../testApp.ts';
import { openTestApp } from '../testApp.ts';

let store: FreshStore;
let app: TestApp;
let url: string;

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url);
  url = await app.listen();
});

afterAll(async () => {
  await app.close();
  await store.close();
});

const post = (key: string, message: object, session?: string): Promise<Response> =>
  fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  });

async function open(key: string): Promise<string> {
  const clientInfo = { name: 'test', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const answer = await post(key, { method: 'initialize', params });
  await answer.text();
  return answer.headers.get('mcp-session-id') ?? '';
}

async function statusOf(key: string, session: string): Promise<number> {
  const answer = await post(key, { method: 'ping' }, session);
  await answer.text();
  return answer.status;
}

test('a key that opens ever more sessions loses those that it uses least, and nobody else loses any', async () => {
  const [greedy, other] = [await app.newKey(['runs:read']), await app.newKey(['runs:read'])];
  const theirs = await open(other);
  const [first, second] = [await open(greedy), await open(greedy)];
  for (let opened = 2; opened < 200; opened += 1) await open(greedy);
  expect(await statusOf(greedy, first)).toBe(200);
  await open(greedy);
  expect(await statusOf(greedy, second)).toBe(404);
  expect(await statusOf(greedy, first)).toBe(200);
  expect(await statusOf(other, theirs)).toBe(200);
  expect(await statusOf(greedy, theirs)).toBe(404);
});
