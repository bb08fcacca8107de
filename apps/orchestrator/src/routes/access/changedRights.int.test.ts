/** What goes on when rights change, and what rights give beyond themselves. */
import { advance } from '@baton/runner';
import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { overMcp } from '../../testing/overMcp.ts';
import { type TestAnswer, type TestApp, openTestApp } from '../../testing/testApp.ts';
import { openStream } from '../../testing/testStream.ts';

let store: FreshStore;
let app: TestApp;
let base: string;

const secret = 'quetzal';

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url);
  base = await app.listen();
  for (const workflow of ['pay', 'hire'])
    await app.deploy(`workflow: ${workflow}\ninputs: { a: { type: string } }\nsteps: [{ set: { x: 1 } }]\n`);
});

afterAll(async () => {
  await app.close();
  await store.close();
});

const statusOf = async (answer: Promise<TestAnswer>): Promise<number> => (await answer).status;

interface Grant {
  readonly role: string;
  readonly on?: readonly string[];
}

let people = 0;

/** A person, and a key of theirs. */
async function newPerson(grants: readonly Grant[]): Promise<{ readonly id: string; readonly key: string }> {
  const { body } = await app.ask('POST /v1/people', { json: { name: `person ${(people += 1)}`, grants } });
  const id = String(body['id']);
  const made = await app.ask('POST /v1/keys', { json: { name: `key of ${id}`, scopes: ['admin'], person: id } });
  return { id, key: String(made.body['key']) };
}

/** Leaves the person with these grants alone. */
async function regrant(id: string, grants: readonly Grant[]): Promise<void> {
  const { body } = await app.ask(`GET /v1/people/${id}`);
  for (const { id: grant } of body['grants'] as readonly { readonly id: string }[])
    expect(await statusOf(app.ask(`DELETE /v1/people/${id}/grants/${grant}`))).toBe(204);
  for (const grant of grants)
    expect(await statusOf(app.ask(`POST /v1/people/${id}/grants`, { json: grant }))).toBe(200);
}

const startPay = async (key?: string): Promise<string> => {
  const options = { json: { inputs: { a: secret } }, ...(key !== undefined && { key }) };
  return String((await app.ask('POST /v1/workflows/pay/runs', options)).body['id']);
};

const newestRun = async (): Promise<string> => {
  const { data } = (await app.ask('GET /v1/runs?limit=1')).body as {
    readonly data: readonly { readonly id: string }[];
  };
  return data[0]?.id ?? '';
};

async function mcpSession(key: string) {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const post = (method: string, params: object, more: Record<string, string> = {}) =>
    fetch(`${base}/mcp`, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
  const clientInfo = { name: 'c', version: '1' };
  const begun = await post('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  await begun.text();
  const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
  return async (name: string, given: object): Promise<string> =>
    (await post('tools/call', { name, arguments: given }, session)).text();
}

test('A session of MCP has the rights that its person has with each request.', async () => {
  const { id, key } = await newPerson([{ role: 'operator' }]);
  const run = await startPay();
  const call = await mcpSession(key);
  expect(await call('get_run', { id: run })).toContain(secret);
  await regrant(id, [{ role: 'viewer' }]);
  const seen = await call('get_run', { id: run });
  expect(seen).toContain('pay');
  expect(seen).not.toContain(secret);
  expect(await call('run_workflow', { workflow: 'pay', inputs: {} })).not.toContain('status');
  await regrant(id, [{ role: 'viewer', on: ['hire'] }]);
  expect(await call('list_runs', {})).not.toContain('pay');
  await regrant(id, [{ role: 'operator' }]);
  expect(await call('get_run', { id: run })).toContain(secret);
});

test('A call that is under way goes on when its person gets other rights, and the session has them at once.', async () => {
  const { id, key } = await newPerson([{ role: 'operator', on: ['pay'] }]);
  const call = await mcpSession(key);
  const before = await newestRun();
  const underWay = call('run_workflow', { workflow: 'pay', inputs: { a: 'x' } }).catch(() => 'cut');
  await expect.poll(newestRun).not.toBe(before);
  const run = await newestRun();
  await regrant(id, [{ role: 'viewer' }]);
  expect(await call('list_runs', {})).toContain(run);
  await advance(store.journal, run, ({ at }) => [
    { type: 'run.claimed', at, worker: 'w1', claim: 1 },
    { type: 'run.finished', at, status: 'succeeded', outputs: { json: {} } },
  ]);
  expect(await underWay).toContain(run);
  expect((await app.ask(`GET /v1/runs/${run}`)).body).toMatchObject({ status: 'succeeded' });
  expect((await app.ask(`GET /v1/runs/${run}`)).body).not.toHaveProperty('cancelRequested');
});

test('A stream of events ends when its reader has other rights than when it began.', async () => {
  const { id, key } = await newPerson([{ role: 'operator' }]);
  const stream = await openStream(`${base}/v1/events`, { key });
  const before = await startPay();
  expect((await stream.next())?.data['runId']).toBe(before);
  await regrant(id, [{ role: 'viewer' }]);
  await startPay();
  expect(JSON.stringify(await stream.rest())).not.toContain(secret);
  const again = await openStream(`${base}/v1/events`, { key });
  const run = await startPay();
  const event = await again.next();
  expect(event?.data['runId']).toBe(run);
  expect(JSON.stringify(event)).not.toContain(secret);
  again.leave();
});

test('A session that began with a link has no rights that its person was given later.', async () => {
  const giver = await app.newKey(['people:write', 'runs:read', 'servers:read']);
  const added = await app.ask('POST /v1/people', { key: giver, json: { name: 'bob', grants: [{ role: 'viewer' }] } });
  const id = String(added.body['id']);
  const { body } = await app.ask(`POST /v1/people/${id}/links`, { key: giver });
  const session = await app.ask('POST /v1/session', { key: '', json: { code: body['code'] } });
  const cookie = String(session.headers['set-cookie']).split(';')[0] ?? '';
  const asBob = (what: string) => app.ask(what, { key: '', headers: { cookie, 'sec-fetch-site': 'same-origin' } });
  expect(await statusOf(asBob('GET /v1/runs'))).toBe(200);
  await app.ask(`POST /v1/people/${id}/grants`, { json: { role: 'admin' } });
  expect(await statusOf(asBob('GET /v1/keys'))).toBe(401);
});

test('A key with limits, an approval or an end gives no rights to people, for a person has no such limits.', async () => {
  for (const more of [{ limits: { runs: 1 } }, { approve: 'write' }, { expiresAt: Date.now() + 60_000 }] as const) {
    const key = await app.newKey(['people:write', 'runs:read', 'servers:read'], more);
    const json = { name: 'eve', grants: [{ role: 'viewer' }] };
    expect(await app.ask('POST /v1/people', { key, json })).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('can give no rights') as string },
    });
    const { id } = await newPerson([{ role: 'viewer' }]);
    for (const what of [`POST /v1/people/${id}/links`, `POST /v1/people/${id}/grants`])
      expect(await statusOf(app.ask(what, { key, ...(what.endsWith('grants') && { json: { role: 'viewer' } }) }))).toBe(
        403,
      );
  }
});

test('A person who was removed does not come back while another one has their name.', async () => {
  const { id } = await newPerson([]);
  const { body } = await app.ask(`GET /v1/people/${id}`);
  await app.ask(`DELETE /v1/people/${id}`);
  expect(await statusOf(app.ask('POST /v1/people', { json: { name: body['name'] } }))).toBe(201);
  expect(await statusOf(app.ask(`POST /v1/people/${id}/restore`))).toBe(409);
});

test('A grant hides nothing that another grant shows.', async () => {
  const { key } = await newPerson([{ role: 'operator' }, { role: 'viewer' }, { role: 'viewer', on: ['pay'] }]);
  expect(await statusOf(app.ask(`GET /v1/runs?text=${secret}`, { key }))).toBe(200);
});

test('A workflow hears of the ends of those runs alone that its author sees with their values.', async () => {
  const text = (of: string): string =>
    `workflow: hire/spy\non: [{ run: { workflow: "${of}", status: [failed] } }]\nsteps: [{ set: { x: 1 } }]\n`;
  const limited = await app.newKey(['workflows:write', 'runs:read', 'runs:write'], { workflows: ['hire/*'] });
  const { key: person } = await newPerson([{ role: 'viewer' }, { role: 'author', on: ['hire/*'] }]);
  for (const [key, of, status] of [
    [limited, '*', 403],
    [limited, 'pay', 403],
    [limited, 'hire/*', 201],
    [person, '*', 403],
    [person, 'pay', 403],
  ] as const) {
    const headers = { 'content-type': 'application/yaml' };
    const answer = app.ask('POST /v1/workflows', { key, headers, payload: text(of) });
    expect([of, await statusOf(answer)]).toEqual([of, status]);
  }
});

test('A check of a text names no secret of a project that its author does not see.', async () => {
  await app.ask('PUT /v1/secrets/PAYKEY', { json: { value: 'x'.repeat(20), workflows: ['pay'] } });
  const key = await app.newKey(['workflows:write'], { workflows: ['hire'] });
  const check = (workflow: string) =>
    app.ask('POST /v1/workflows/check?servers=true', {
      key,
      headers: { 'content-type': 'application/yaml' },
      payload: `workflow: ${workflow}\nsteps: [{ tool: a/b, with: { k: "\${{ secrets.PAYKEX }}" } }]\n`,
    });
  for (const workflow of ['pay', 'hire']) expect((await check(workflow)).text).not.toContain('PAYKEY');
});

test('A viewer is shown no digest of arguments, by which they could be guessed.', async () => {
  const run = await startPay();
  const call = {
    verb: 'tool',
    server: 's',
    tool: 't',
    effect: 'write',
    arguments: { json: {} },
    digest: 'of the pin',
  } as const;
  await advance(store.journal, run, ({ at }) => [
    { type: 'run.claimed', at, worker: 'w1', claim: 1 },
    { type: 'step.started', at, path: 'c', verb: 'tool', attempt: 1, call },
  ]);
  const { key } = await newPerson([{ role: 'viewer' }]);
  const { text } = await app.ask(`GET /v1/runs/${run}/events`, { key });
  expect(text).toContain('step.started');
  expect(text).not.toContain('of the pin');
});

test('A viewer lists failed runs over MCP, without what their failures say.', async () => {
  const run = await startPay();
  await advance(store.journal, run, ({ at }) => [
    { type: 'run.claimed', at, worker: 'w1', claim: 1 },
    { type: 'run.finished', at, status: 'failed', failure: { code: 'failed', message: secret } },
  ]);
  const { key } = await newPerson([{ role: 'viewer' }]);
  const listed = await overMcp(app, key, 'list_runs', { status: 'failed' });
  expect(listed).toContain(run);
  expect(listed).not.toContain(secret);
});

test('The source of a failed run is repaired by who may write its workflow and see its values, by one grant.', async () => {
  const { body } = await app.ask('POST /v1/runs', {
    json: { workflow: { workflow: 'pay', steps: [{ set: { x: secret } }] } },
  });
  const id = String(body['id']);
  await advance(store.journal, id, ({ at }) => [
    { type: 'run.claimed', at, worker: 'w1', claim: 1 },
    { type: 'run.finished', at, status: 'failed', failure: { code: 'failed', message: 'x' } },
  ]);
  const { key } = await newPerson([{ role: 'viewer' }, { role: 'author', on: ['hire'] }]);
  expect(await overMcp(app, key, 'repair_workflow', { id })).not.toContain(secret);
  const { key: author } = await newPerson([{ role: 'author', on: ['pay'] }]);
  expect(await overMcp(app, author, 'repair_workflow', { id })).toContain(secret);
});
