import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type FreshStore, brokenServer, freshStore, toolsServer } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type TestApp, openTestApp } from '../../testing/testApp.ts';

let folder: string;
let store: FreshStore;
let app: TestApp;

const everything = join(import.meta.dirname, '../../../../../node_modules/@modelcontextprotocol/server-everything');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'baton-servers-'));
  store = await freshStore();
  const servers = {
    tools: {
      ...toolsServer(join(folder, 'ledger')),
      baton: { effects: { write: 'write', 'fl*': 'idempotent' }, trust: true },
    },
    everything: { command: process.execPath, args: [join(everything, 'dist/index.js'), 'stdio'] },
    broken: brokenServer('exits'),
    off: { ...brokenServer('exits'), disabled: true },
  };
  app = await openTestApp(store, store.url, { servers });
});

afterAll(async () => {
  await app.close();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const names = (body: Readonly<Record<string, unknown>>): string[] =>
  (body['data'] as { name: string }[]).map(({ name }) => name);

describe('servers', () => {
  test('are listed as they are configured, also those that no run has needed yet', async () => {
    const { body } = await app.ask('GET /v1/servers');
    expect(names(body).toSorted()).toEqual(['broken', 'everything', 'off', 'tools']);
    expect((await app.ask('GET /v1/servers/off')).body).toMatchObject({ name: 'off', state: 'disabled' });
  });

  test('tell their tools, with what each does and who says so', async () => {
    const { body } = await app.ask('GET /v1/servers/tools/tools');
    const tools = body['data'] as { name: string; effect: string; effectFrom: string }[];
    const effectOf = (name: string) => tools.find((tool) => tool.name === name)?.effect;
    expect([effectOf('write'), effectOf('flaky'), effectOf('echo'), effectOf('hang')]).toEqual([
      'write',
      'idempotent',
      'read',
      'write',
    ]);
    expect((await app.ask('GET /v1/servers/tools')).body).toMatchObject({ state: 'ready' });
  });

  test('are tried on request, and say what they offer or why they do not answer', async () => {
    const tried = await app.ask('POST /v1/servers/tools/test');
    expect(tried).toMatchObject({ status: 200, body: { name: 'tools', problems: [], prompts: 0 } });
    expect(tried.body['tools']).toBeGreaterThan(3);
    expect((await app.ask('POST /v1/servers/broken/test')).status).toBeOneOf([502, 503, 504]);
    expect((await app.ask('POST /v1/servers/unknown/test')).status).toBe(404);
  });

  test('tell their prompts, resources and templates', async () => {
    const prompts = await app.ask('GET /v1/servers/everything/prompts');
    expect(prompts).toMatchObject({ status: 200 });
    expect(names(prompts.body)).toContain('args-prompt');
    const resources = (await app.ask('GET /v1/servers/everything/resources')).body['data'] as object[];
    expect(resources).toContainEqual(expect.objectContaining({ uriTemplate: expect.any(String) as string }));
    expect(resources).toContainEqual(expect.objectContaining({ uri: expect.any(String) as string }));
  });

  test.each(['tools', 'prompts', 'resources'])('that end at once have no %s, and it is said why', async (what) => {
    const answer = await app.ask(`GET /v1/servers/broken/${what}`);
    expect(answer.status).toBeOneOf([502, 503, 504]);
    expect(answer.body['detail']).toContain('broken');
    expect((await app.ask('GET /v1/servers/broken')).body).toMatchObject({
      lastError: { code: expect.any(String) as string },
    });
  });

  test('that are not configured are not there, and the nearest is named', async () => {
    expect(await app.ask('GET /v1/servers/tols')).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining('tools') as string },
    });
    expect((await app.ask('GET /v1/servers/constructor/tools')).status).toBe(404);
  });

  test('are for keys that may see them', async () => {
    const [may, mayNot] = [await app.newKey(['servers:read']), await app.newKey(['runs:write'])];
    expect((await app.ask('GET /v1/servers', { key: may })).status).toBe(200);
    expect((await app.ask('GET /v1/servers', { key: mayNot })).status).toBe(403);
  });
});

describe('a workflow', () => {
  const yaml = (tool: string, name = 'calls') =>
    `workflow: ${name}\nsteps:\n  - id: call\n    tool: ${tool}\n    with: { message: hi }\n`;

  test('is checked against its servers, if they answer', async () => {
    const answer = await app.deploy(yaml('tools/ecko'));
    expect(answer.status).toBe(422);
    expect(answer.body['errors']).toContainEqual(
      expect.objectContaining({ code: 'unknown-tool', line: 4, hint: expect.stringContaining('echo') as string }),
    );
    expect((await app.deploy(yaml('tols/echo'))).status).toBe(422);
    expect((await app.deploy(yaml('broken/any', 'on-trust'))).status).toBe(201);
  });

  test('that is only checked is compared with them on request', async () => {
    const check = (query: string) =>
      app.ask(`POST /v1/workflows/check${query}`, {
        headers: { 'content-type': 'application/yaml' },
        payload: yaml('tools/ecko'),
      });
    expect((await check('')).body['findings']).toEqual([]);
    expect((await check('?servers=true')).body['findings']).toContainEqual(
      expect.objectContaining({ code: 'unknown-tool' }),
    );
    expect((await check('?servers=1')).status).toBe(422);
  });

  test('pins the definitions of its tools', async () => {
    await app.deploy(yaml('tools/echo'));
    const { body } = await app.ask('GET /v1/workflows/calls');
    expect(body['pins']).toMatchObject({ 'tools/echo': { effect: 'read', contract: expect.any(String) as string } });
  });
});
