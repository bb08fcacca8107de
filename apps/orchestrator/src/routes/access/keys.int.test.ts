import { makeKey } from '@baton/control';
import { advance, requested } from '@baton/runner';
import { definitionOf, putApiKey, putDefinition } from '@baton/store';
import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type TestApp, openTestApp } from '../../testing/testApp.ts';

let store: FreshStore;
let app: TestApp;

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url);
  for (const name of ['reads', 'other']) {
    await app.deploy(`workflow: ${name}\nsteps:\n  - set: { a: 1 }\n`);
  }
  await app.deploy('workflow: writes\nsteps:\n  - workflow: reads\n');
});

afterAll(async () => {
  await app.close();
  await store.close();
});

let made = 0;
const make = async (body: object) =>
  (await app.ask('POST /v1/keys', { json: { name: `key ${(made += 1)}`, ...body } })).body;

describe('/v1/keys', () => {
  test('shows a key once, and only its properties afterwards', async () => {
    const made = await app.ask('POST /v1/keys', {
      json: {
        name: 'ci',
        scopes: ['runs:write'],
        workflows: ['reads'],
        effects: 'read',
        limits: { runs: 20, checks: 30 },
        expiresIn: '90d',
      },
    });
    expect(made).toMatchObject({
      status: 201,
      body: { name: 'ci', workflows: ['reads'], effects: 'read', limits: { runs: 20 } },
    });
    const { key, ...rest } = made.body;
    expect(key).toMatch(/^baton_/);
    const shown = await app.ask(`GET /v1/keys/${String(rest['id'])}`);
    expect(shown.body).toEqual(rest);
    const listed = await app.ask('GET /v1/keys?limit=200');
    expect(listed.body['data']).toContainEqual(rest);
    expect(listed.text).not.toContain(String(key));
  });

  test('has a name that no other key has that can be used', async () => {
    const create = (expiresIn?: string) =>
      app.ask('POST /v1/keys', { json: { name: 'only one', scopes: ['runs:read'], ...(expiresIn && { expiresIn }) } });
    const both = await Promise.all([create(), create(), create()]);
    const [one, ...others] = both.filter(({ status }) => status === 201);
    expect(others).toEqual([]);
    expect(await create()).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('only one') as string },
    });
    await app.ask(`DELETE /v1/keys/${String(one?.body['id'])}`);
    const { status, body } = await create('1h');
    expect(status).toBe(201);
    expect((await create()).status).toBe(409);
    await store.pool.query(`update api_key set expires_at = now() - interval '1 s' where id = $1`, [body['id']]);
    expect((await create()).status).toBe(201);
  });

  test('with an unknown scope is not made, and the wrong scope is pointed to', async () => {
    const refused = await app.ask('POST /v1/keys', { json: { name: 'ci', scopes: ['runs:read', 'runs:raed'] } });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: '/scopes/1' }] } });
    expect(refused.body['detail']).toContain('"scopes[1]" must be one of "runs:read"');
  });

  test('a revoked key opens nothing, at once', async () => {
    const { id, key } = await make({ scopes: ['runs:read'] });
    expect((await app.ask('GET /v1/runs', { key: String(key) })).status).toBe(200);
    expect((await app.ask(`DELETE /v1/keys/${String(id)}`)).status).toBe(204);
    expect((await app.ask('GET /v1/runs', { key: String(key) })).status).toBe(401);
    expect((await app.ask(`DELETE /v1/keys/${String(id)}`)).status).toBe(204);
    expect((await app.ask('DELETE /v1/keys/unknown')).status).toBe(404);
  });

  test.each([
    { scopes: [] },
    { scopes: ['runs:all'] },
    { scopes: ['admin'], expiresIn: '3 days' },
    { scopes: ['admin'], expiresAt: '2020-01-01T00:00:00Z' },
    { scopes: ['admin'], expiresAt: '2099-01-01T00:00:00Z', expiresIn: '1h' },
    { scopes: ['admin'], effects: 'destroy' },
    { scopes: ['admin'], name: '\u0000' },
    { scopes: ['admin'], secret: 'mine' },
    { scopes: ['admin'], limits: { runs: 0 } },
    { scopes: ['admin'], limits: { steps: 1 } },
    // Limits that would be none.
    { scopes: ['admin'], workflows: ['reads'] },
    { scopes: ['runs:read', 'admin'], effects: 'read' },
    { scopes: ['audit:read'], workflows: ['reads'] },
    { scopes: ['secrets:write'], workflows: ['reads'] },
    // The sessions of every key have this name.
    { scopes: ['runs:read'], workflows: ['session'] },
    // An approval that the key could give itself, or do without.
    { scopes: ['admin'], approve: 'write' },
    { scopes: ['runs:write', 'questions:answer'], approve: 'write' },
    { scopes: ['runs:write', 'workflows:write'], approve: 'write' },
    { scopes: ['runs:write'], approve: 'read' },
    // Names that could pass for another key.
    { scopes: ['runs:read'], name: 'BATON_ADMIN_KEY (own-0123456789ab)' },
    { scopes: ['runs:read'], name: 'BATON_ADMIN\u200B_KEY' },
    { scopes: ['runs:read'], name: 'ＢATON_ADMIN_KEY' },
  ])('%j is not made', async (body) => {
    expect((await app.ask('POST /v1/keys', { json: { name: 'a key', ...body } })).status).toBe(422);
  });

  test('only admins make them', async () => {
    const key = await app.newKey(['runs:write', 'secrets:write']);
    const answer = await app.ask('POST /v1/keys', { key, json: { name: 'mine', scopes: ['admin'] } });
    expect(answer.status).toBe(403);
  });
});

describe('a key that is limited', () => {
  test('to a workflow that is called session, from before the name was reserved, sees no session', async () => {
    const { id, secretHash, text } = makeKey();
    const limited = { id, name: 'old', secretHash, scopes: ['runs:read'], createdBy: 'ada', workflows: ['session'] };
    await putApiKey(store, limited);
    const definition = definitionOf('workflow: session\nsteps: [{ set: {} }]\n', 'yaml', {});
    await putDefinition(store, definition);
    const order = { workflow: 'session', definition: definition.digest, inputs: {}, by: 'agent' };
    const { runId } = await store.request(requested({ ...order, trigger: { kind: 'session' } }, Date.now()));
    expect((await app.ask(`GET /v1/runs/${runId}`)).status).toBe(200);
    expect((await app.ask(`GET /v1/runs/${runId}`, { key: text })).status).toBe(404);
    expect((await app.ask('GET /v1/runs', { key: text })).body['data']).toEqual([]);
    const named = await app.ask('POST /v1/workflows', {
      headers: { 'content-type': 'application/yaml' },
      payload: 'workflow: session\nsteps: [{ set: {} }]\n',
    });
    expect(named).toMatchObject({ status: 422, text: expect.stringContaining('reserved-name') as string });
  });

  test('to workflows does not see the others', async () => {
    const { key } = await make({ scopes: ['runs:write', 'workflows:write'], workflows: ['reads'] });
    const as = { key: String(key) };
    expect((await app.ask('POST /v1/workflows/reads/runs', { ...as, json: {} })).status).toBe(202);
    expect((await app.ask('POST /v1/workflows/other/runs', { ...as, json: {} })).status).toBe(404);
    expect(
      (await app.ask('POST /v1/runs', { ...as, json: { workflow: 'steps: [{ set: { a: 1 } }]' } })).status,
    ).not.toBe(202);
    expect((await app.ask('DELETE /v1/workflows/other', as)).status).toBe(404);
    const started = await app.ask('POST /v1/workflows/other/runs', { json: {} });
    const id = String(started.body['id']);
    for (const what of [`GET /v1/runs/${id}`, `GET /v1/runs/${id}/events`, `POST /v1/runs/${id}/cancel`]) {
      expect((await app.ask(what, as)).status).toBe(404);
    }
    const listed = (await app.ask('GET /v1/runs', as)).body['data'] as { workflow: string }[];
    expect(new Set(listed.map(({ workflow }) => workflow))).toEqual(new Set(['reads']));
  });

  test('to writes that a person approves starts no text of its own that may write', async () => {
    const made = await make({ scopes: ['runs:write'], approve: 'write' });
    expect(made).toMatchObject({ approve: 'write' });
    const start = (step: string) =>
      app.ask('POST /v1/runs', { key: String(made['key']), json: { workflow: `workflow: own\nsteps: [${step}]` } });
    expect((await start('{ set: { a: 1 } }')).status).toBe(202);
    const refused = await start('{ workflow: reads }');
    const beyond = { status: 403, body: { detail: expect.stringContaining('gateway') as string } };
    expect(refused).toMatchObject(beyond);
    // Nor does it do again what another key began.
    const workflow = 'workflow: own\nsteps: [{ workflow: reads }]';
    const { id } = (await app.ask('POST /v1/runs', { json: { workflow } })).body;
    const failure = { code: 'cancelled', message: 'Not any more.' } as const;
    expect((await app.ask(`POST /v1/runs/${String(id)}/cancel`)).status).toBe(202);
    await advance(store.journal, String(id), ({ at }) => [{ type: 'run.finished', at, status: 'cancelled', failure }]);
    for (const again of ['retry', 'rerun'])
      expect(await app.ask(`POST /v1/runs/${String(id)}/${again}`, { key: String(made['key']) })).toMatchObject(beyond);
  });

  test('to effects starts nothing that may do more', async () => {
    const { key } = await make({ scopes: ['runs:write'], effects: 'read' });
    const as = { key: String(key), json: {} };
    expect((await app.ask('POST /v1/workflows/reads/runs', as)).status).toBe(202);
    const refused = await app.ask('POST /v1/workflows/writes/runs', as);
    expect(refused).toMatchObject({ status: 403, body: { detail: expect.stringContaining('only read') as string } });
  });
});
