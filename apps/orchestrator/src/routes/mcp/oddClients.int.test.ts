/** Clients of `/mcp` that write what others do not. */
import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { type TestApp, openTestApp } from '../../testing/testApp.ts';

let store: FreshStore;
let app: TestApp;
let url: string;
let key: string;

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url);
  url = await app.listen();
  key = await app.newKey(['runs:read']);
});

afterAll(async () => {
  await app.close();
  await store.close();
});

const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

const post = (message: object, headers: Readonly<Record<string, string>> = usual): Promise<Response> =>
  fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  });

const clientInfo = { name: 'test', version: '1' };
const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
const initialize = (more: object): object => ({ method: 'initialize', params: { ...params, ...more } });

test.each([
  { clientInfo: { ...clientInfo, title: null, icons: null, websiteUrl: null } },
  { capabilities: { roots: null, sampling: null, elicitation: null } },
  { capabilities: [] },
  { _meta: null },
])('a client may write null, and PHP its empty list, where a member may be absent: %j', async (more) => {
  const answer = await post(initialize(more));
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('"protocolVersion"')]);
});

test.each([{ accept: '*/*' }, { accept: 'text/html, */*;q=0.8' }])(
  'a client may take any form: %j',
  async (headers) => {
    const answer = await post(initialize({}), headers);
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('"protocolVersion"')]);
  },
);

test.each([
  [initialize({ clientInfo: { name: 'test' } }), 'params.clientInfo.version'],
  [initialize({ protocolVersion: 7 }), 'params.protocolVersion'],
])('a wrong introduction is refused, and its member is named: %j', async (message, member) => {
  const answer = await post(message);
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(member)]);
});

test('a resource that does not exist is named as it was asked for', async () => {
  const opened = await post(initialize({}));
  await opened.text();
  const session = { ...usual, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  const answer = await post({ method: 'resources/read', params: { uri: 'foo://bar' } }, session);
  expect(await answer.text()).toContain(String.raw`There is no resource \"foo://bar\".`);
});
