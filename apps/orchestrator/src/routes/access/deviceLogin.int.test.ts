/** The log-in of the baton command where there is no browser, and what others could have of it. */
import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { ClientDocuments, TestBrowser } from '../../testing/oauthClient.ts';
import { OAuthFlows } from '../../testing/oauthFlows.ts';
import { type TestApp, openTestApp } from '../../testing/testApp.ts';

let store: FreshStore;
let app: TestApp;
let base: string;
let documents: ClientDocuments;
let admin: TestBrowser;

beforeAll(async () => {
  store = await freshStore();
  const parts = { callbackNetworks: ['127.0.0.0/8'], mayRegister: true, trustedProxies: ['127.0.0.1'] };
  app = await openTestApp(store, store.url, { parts });
  base = await app.listen();
  documents = await ClientDocuments.start();
  admin = new TestBrowser(base);
  await admin.logIn(await app.newKey(['admin'], { name: 'ana' }));
});

afterAll(async () => {
  await app.close();
  await documents.close();
  await store.close();
});

const { tokensFor, refreshed, newFlow, asked } = new OAuthFlows(() => ({ base, documents, admin }));

const client = 'baton-cli';
const grantType = 'urn:ietf:params:oauth:grant-type:device_code';
const scope = 'runs:read runs:write servers:read workflows:write questions:answer';
let addresses = 0;

async function begun(more: Readonly<Record<string, string>> = {}, address = `10.2.0.${(addresses += 1)}`) {
  const form = { client_id: client, scope, resource: `${base}/v1`, ...more };
  const answer = await fetch(`${base}/oauth/device`, {
    method: 'POST',
    headers: { 'x-forwarded-for': address },
    body: new URLSearchParams(form),
  });
  const body = (await answer.json()) as Record<string, string>;
  return { status: answer.status, body, device: body['device_code'] ?? '', code: body['user_code'] ?? '', address };
}

const polled = (device: string, client_id = client) =>
  tokensFor({ grant_type: grantType, client_id, device_code: device });

const decided = async (code: string, choice: string | null = 'run', browser = admin) => {
  const answer = await browser.post(`/v1/consents/${code}`, { choice });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};

test('A device gets tokens after a person typed its code, saw who asks, and agreed; the code is then of no use.', async () => {
  const { body, device, code, address } = await begun();
  expect(body).toMatchObject({ verification_uri: `${base}/device`, expires_in: 600 });
  expect(code).toMatch(/^[A-Z]{4}-[A-Z]{4}$/);
  expect((await polled(device)).body).toMatchObject({ error: 'authorization_pending' });
  expect(await admin.json(`/v1/consents/${code}`)).toMatchObject({
    client: { id: client, name: 'The baton command', host: address },
    device: { code, address },
    offered: ['read', 'run', 'run-approved', 'build'],
    isRemembered: false,
  });
  expect(await decided(code)).toMatchObject({ status: 200, body: { goOn: `${base}/device/connected` } });
  const given = await polled(device);
  expect(given.status).toBe(200);
  expect((await asked('/v1/runs', given.access))[0]).toBe(200);
  expect((await asked('/mcp', given.access))[0]).toBe(401);
  expect((await decided(code)).status).toBe(404);
});

test('A code of a device that comes a second time ends what the first one gave.', async () => {
  const { device, code } = await begun();
  await decided(code);
  const given = await polled(device);
  expect((await polled(device)).body).toMatchObject({ error: 'invalid_grant' });
  expect(
    (await tokensFor({ grant_type: 'refresh_token', client_id: client, refresh_token: given.refresh })).status,
  ).toBe(400);
  expect((await asked('/v1/runs', given.access))[0]).toBe(401);
});

test('Of two that poll at the same time with the code of a device, at most one gets tokens.', async () => {
  const { device, code } = await begun();
  await decided(code);
  const answers = await Promise.all([polled(device), polled(device)]);
  expect(answers.filter(({ status }) => status === 200).length).toBeLessThan(2);
});

test('A person who refuses a device ends its log-in, and of two decisions the first one stands.', async () => {
  const { device, code } = await begun();
  expect(await decided(code, null)).toMatchObject({ status: 200, body: { goOn: `${base}/device/refused` } });
  expect((await decided(code)).status).toBe(404);
  expect((await polled(device)).body).toMatchObject({ error: 'access_denied' });
  const two = await begun();
  const other = new TestBrowser(base);
  await other.logIn(await app.newKey(['runs:read', 'runs:write'], { name: 'ben' }));
  const outcomes = await Promise.all([decided(two.code, 'read'), decided(two.code, 'read', other)]);
  expect(outcomes.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('The code of a device is for its client, and for no address but its own.', async () => {
  const { device, code } = await begun();
  await decided(code);
  const { client: another } = newFlow();
  expect((await polled(device, another)).status).toBe(400);
  const elsewhere = new TestBrowser(base.replace('127.0.0.1', 'localhost'));
  await elsewhere.logIn(await app.newKey(['admin'], { name: 'far' }));
  const next = await begun();
  expect((await decided(next.code, 'read', elsewhere)).status).toBe(404);
  expect((await begun({ resource: 'https://other.example/v1' })).body).toMatchObject({ error: 'invalid_target' });
  expect((await begun({ resource: '' })).body).toMatchObject({ error: 'invalid_target' });
});

test('No other client logs in by a code that people type: neither with a document nor after it registered.', async () => {
  const document = { grant_types: ['authorization_code', grantType] };
  const { client: documented } = newFlow(document);
  expect((await begun({ client_id: documented })).status).toBeGreaterThanOrEqual(400);
  const registered = await fetch(`${base}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'x', redirect_uris: ['http://127.0.0.1:1/c'], ...document }),
  });
  expect([registered.status, await registered.json()]).toMatchObject([400, { error: 'invalid_client_metadata' }]);
});

test('An address has ten devices in a minute, and who types ten wrong codes waits, also with the right one.', async () => {
  for (let count = 0; count < 10; count += 1) expect((await begun({}, '10.3.0.1')).status).toBe(200);
  expect((await begun({}, '10.3.0.1')).status).toBe(429);
  const guessing = new TestBrowser(base, '10.3.0.2');
  await guessing.logIn(await app.newKey(['admin'], { name: 'guess' }));
  for (let count = 0; count < 10; count += 1) expect((await decided('BCDF-GHJK', 'run', guessing)).status).toBe(404);
  const { code } = await begun();
  expect((await decided(code, 'run', guessing)).status).toBe(429);
  expect((await decided(code)).status).toBe(200);
});

test('A code is good for ten minutes, and a key decides nothing.', async () => {
  const { device, code } = await begun();
  const answer = await fetch(`${base}/v1/consents/${code}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await app.newKey(['admin'])}`, 'content-type': 'application/json' },
    body: JSON.stringify({ choice: 'build' }),
  });
  expect(answer.status).toBe(403);
  await store.pool.query(`update oauth_record set expires_at = now() where kind in ('DeviceCode', 'UserCode')`);
  expect((await decided(code)).status).toBe(404);
  expect((await polled(device)).status).toBe(400);
});

test('The command goes back to any port of this machine, and to no other place.', async () => {
  const more = { client_id: client, resource: `${base}/v1` };
  const flow = newFlow({}, { ...more, redirect_uri: 'http://127.0.0.1:45123/' });
  const back = await admin.agree(flow.url);
  expect(back.href).toMatch(/^http:\/\/127\.0\.0\.1:45123\/\?code=/);
  const code = { grant_type: 'authorization_code', client_id: client, redirect_uri: flow.redirect };
  const given = await tokensFor({
    ...code,
    resource: flow.resource,
    code: back.searchParams.get('code') ?? '',
    code_verifier: flow.verifier,
  });
  expect((await refreshed(flow, given.refresh)).status).toBe(200);
  for (const redirect_uri of ['https://evil.example/', 'http://127.0.0.1:1/more', 'http://evil@127.0.0.1:1/']) {
    const answer = await admin.open(newFlow({}, { ...more, redirect_uri }).url);
    expect([redirect_uri, answer.status]).toEqual([redirect_uri, 400]);
  }
  const again = await admin.begin(newFlow({}, { ...more, redirect_uri: 'http://127.0.0.1:45123/' }).url);
  expect(await admin.json(`/v1/consents/${again}`)).toMatchObject({ isRemembered: false });
});
