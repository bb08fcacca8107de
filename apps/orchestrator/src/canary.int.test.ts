import { createHmac, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Vault } from '@baton/store';
import { type FreshStore, freshStore, leakyServer, readLedger, testSecretKey, toolsServer, soon } from '@baton/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { type TestApp, openTestApp } from './testing/testApp.ts';
import { type TestWorker, startTestWorker } from './testing/testWorker.ts';

let folder: string;
let store: FreshStore;
let app: TestApp;
let worker: TestWorker;

const canary = 'canary+"9/7a?3c-d1e5f8';
const credential = 'credential-4b6d9c';
const literal = 'literal-7e2a5f';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'baton-canary-'));
  store = await freshStore();
  const tools = toolsServer(join(folder, 'ledger'));
  const servers = {
    tools: { ...tools, env: { CANARY: '${secret:CANARY}' } },
    leaky: {
      ...leakyServer(`--api-key=${literal}`),
      env: { CREDENTIAL: '${secret:CREDENTIAL}' },
      baton: { elicitation: 'ask', sampling: 'ask', effects: { '*': 'read' } },
    },
    cut: {
      ...leakyServer(),
      env: { CREDENTIAL: '${secret:CREDENTIAL}', GAP: '\u001B(B\u001B[m\u206A' },
      baton: { elicitation: 'ask', sampling: 'ask', effects: { '*': 'read' } },
    },
    pasted: { ...leakyServer(), env: { CREDENTIAL: '${secret:GUARDED}' } },
  };
  app = await openTestApp(store, store.url, { servers, parts: { vault: new Vault(testSecretKey) } });
  worker = await startTestWorker(store.url, servers);
});

afterAll(async () => {
  await worker.stop();
  await app.close();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const workflow = `
workflow: canary
steps:
  - { id: said, tool: tools/echo, with: { message: "Bearer \${{ secrets.CANARY }}" } }
  - { id: wrong, tool: tools/fail, effect: read, with: { message: "no \${{ secrets.CANARY }}" }, onError: ignore }
  - { id: signed, tool: tools/echo, with: { message: "sha256=\${{ hmac(run.workflow, secrets.CANARY) }}" } }
outputs: { said: "\${{ steps.said.text }}", signed: "\${{ steps.signed.text }}" }
`;

async function dump(): Promise<string> {
  const { rows: tables } = await store.pool.query<{ name: string }>(
    `select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const parts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await store.pool.query<{ text: string }>(`select one::text as text from ${name} one`);
    parts.push(name, ...rows.map(({ text }) => text));
  }
  return parts.join('\n');
}

test('[L-108] a secret reaches the tool, and nothing else: not the database, the events, the run or the export', async () => {
  expect((await app.ask('PUT /v1/secrets/CANARY', { json: { value: canary } })).status).toBe(201);
  const run = await app.ask('POST /v1/runs', { json: { workflow }, headers: { prefer: 'wait=60' } });
  const signed = `sha256=${createHmac('sha256', canary).update('canary').digest('hex')}`;
  expect(run.body).toMatchObject({ status: 'succeeded', outputs: { said: 'Bearer [secret]', signed } });
  expect(JSON.stringify(readLedger(join(folder, 'ledger')))).toContain(JSON.stringify(canary).slice(1, -1));
  const id = run.body['id'] as string;
  const shown = await Promise.all([
    app.ask(`GET /v1/runs/${id}`),
    app.ask(`GET /v1/runs/${id}/events?limit=200`),
    app.ask('GET /v1/secrets/CANARY'),
    app.ask('GET /v1/audit'),
    app.ask('GET /v1/audit/export'),
    app.ask('GET /v1/servers'),
  ]);
  const all = [...shown.map(({ text }) => text), await dump()];
  const forms = [canary, JSON.stringify(canary).slice(1, -1), encodeURIComponent(canary)];
  const encoded = (['base64', 'base64url', 'hex'] as const).map((form) =>
    Buffer.from(canary).toString(form).replace(/=+$/, ''),
  );
  const basic = Buffer.from(`user:${canary}`).toString('base64').slice(8, -4);
  for (const form of [...forms, ...encoded, basic, 'd1e5f8']) {
    for (const text of all) expect(text).not.toContain(form);
  }
});

const leaky = (call: string, server = 'leaky'): string => `
workflow: leaky
steps:
  - { id: it, tool: ${server}/${call}, with: { value: "\${{ secrets.CANARY }}" }, onError: ignore, retry: { attempts: 1 } }
`;

/** Runs it to its end; questions are answered with a yes. */
async function run(workflow: string): Promise<string> {
  const { body } = await app.ask('POST /v1/runs', { json: { workflow } });
  expect(body).toHaveProperty('id');
  const id = body['id'] as string;
  const shown: string[] = [];
  await soon(async () => {
    const questions = await app.ask('GET /v1/questions');
    for (const { id: question, form } of questions.body['data'] as { id: string; form: { properties: object } }[]) {
      shown.push(questions.text);
      const answer = 'allow' in form.properties ? { allow: true } : { ok: true };
      await app.ask(`POST /v1/questions/${question}/answer`, { json: { answer } });
    }
    const { body: now } = await app.ask(`GET /v1/runs/${id}`);
    expect(now['endedAt']).toBeDefined();
  });
  const ended = await Promise.all([app.ask(`GET /v1/runs/${id}`), app.ask(`GET /v1/runs/${id}/events?limit=200`)]);
  return [...shown, ...ended.map(({ text }) => text)].join('\n');
}

const pieces = ['d1e5f8', '4b6d9c', '7e2a5f'];

test.each(['recall', 'progress', 'log', 'ask', 'sample', 'refuse', 'crash'])(
  'what a server says of secrets by "%s" is shown and kept without them',
  async (call) => {
    await app.ask('PUT /v1/secrets/CANARY', { json: { value: canary } });
    await app.ask('PUT /v1/secrets/CREDENTIAL', { json: { value: credential } });
    const shown = await run(leaky(call));
    expect(shown).toContain(call === 'log' ? 'succeeded' : '[secret]');
    for (const text of [shown, await dump()]) for (const piece of pieces) expect(text).not.toContain(piece);
  },
);

/** `tput sgr0` is such a sequence: a tool that colours a part of a token cuts it so. */
test.each(['progress', 'log', 'ask', 'sample', 'refuse'])(
  'what a server says of secrets by "%s" is not put together again where invisible characters cut it',
  async (call) => {
    await app.ask('PUT /v1/secrets/CANARY', { json: { value: canary } });
    await app.ask('PUT /v1/secrets/CREDENTIAL', { json: { value: credential } });
    const shown = [await run(leaky(call, 'cut')), (await app.ask('GET /v1/servers/cut/tools')).text];
    expect(shown[0]).toContain(call === 'log' ? 'succeeded' : '[secret]');
    expect(shown[1]).toContain('[secret]');
    for (const text of [...shown, await dump()]) for (const piece of pieces) expect(text).not.toContain(piece);
  },
);

test('what a server says of secrets reaches no agent at the gateway, and not the journal of its session', async () => {
  await app.ask('PUT /v1/secrets/CREDENTIAL', { json: { value: credential } });
  const key = await app.newKey(['runs:read', 'runs:write']);
  const client = new Client({ name: 'agent', version: '1' }, { capabilities: { sampling: {}, elicitation: {} } });
  const reached: unknown[] = [];
  client.setRequestHandler('sampling/createMessage', async ({ params }) => {
    reached.push(params);
    return { role: 'assistant', model: 'mine', content: { type: 'text', text: 'said' } } as const;
  });
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    reached.push(params);
    const content = JSON.stringify(params).includes('"allow"') ? { allow: true } : { ok: true };
    return { action: 'accept' as const, content };
  });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  const url = new URL(`${await app.listen()}/mcp/gateway?servers=leaky`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  reached.push(await client.listTools(), await client.listPrompts(), await client.listResources());
  for (const name of ['store', 'recall', 'progress', 'log', 'ask', 'sample', 'refuse', 'crash']) {
    const onprogress = (progress: object): void => void reached.push(progress);
    const call = client.callTool({ name: `leaky__${name}`, arguments: { value: 'theirs' } }, { onprogress });
    reached.push([name, await call.catch((error: Error) => error.message)]);
  }
  await client.close();
  const said = JSON.stringify(reached);
  for (const part of ['it was', 'at theirs', 'messages', 'requestedSchema', 'refuse']) expect(said).toContain(part);
  for (const text of [said, await dump()]) for (const piece of pieces) expect(text).not.toContain(piece);
});

test('a secret that one step gave a server does not come back to a later step', async () => {
  await app.ask('PUT /v1/secrets/HIDDEN', { json: { value: 'hidden-9c8b7a' } });
  const shown = await run(`
workflow: twice
steps:
  - { id: put, tool: leaky/store, with: { value: "\${{ secrets.HIDDEN }}" } }
  - { id: got, tool: leaky/recall, with: {} }
outputs: { said: "\${{ json(steps.got.content) }}" }
`);
  expect(shown).toContain('it was [secret]');
  expect(shown + (await dump())).not.toContain('9c8b7a');
});

test('what a server says of itself is shown, pinned and digested without its credentials', async () => {
  await app.ask('PUT /v1/secrets/CREDENTIAL', { json: { value: credential } });
  const tested = await app.ask('POST /v1/servers/leaky/test');
  const deployed = await app.deploy(leaky('recall'));
  expect([tested.status, deployed.status]).toEqual([200, 201]);
  const shown = await Promise.all(
    ['servers', 'servers/leaky', 'servers/leaky/tools', 'servers/leaky/prompts', 'servers/leaky/resources'].map(
      (path) => app.ask(`GET /v1/${path}`),
    ),
  );
  const texts = [tested, deployed, ...shown].map(({ text }) => text);
  expect(texts.join()).toContain('[secret]');
  for (const text of [...texts, await dump()]) for (const piece of pieces) expect(text).not.toContain(piece);
});

test('a workflow that comes with its run uses secrets only for a key that may', async () => {
  await app.ask('PUT /v1/secrets/CANARY', { json: { value: canary } });
  const json = { workflow: leaky('store') };
  const plain = await app.newKey(['runs:read', 'runs:write']);
  const refused = await app.ask('POST /v1/runs', { key: plain, json });
  expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('secrets:use')]);
  const free = { workflow: 'workflow: free\nsteps: [{ id: it, tool: leaky/store, with: { value: nothing } }]' };
  expect((await app.ask('POST /v1/runs', { key: plain, json: free })).status).toBe(202);
  const right = await app.newKey(['runs:read', 'runs:write', 'secrets:use']);
  const wait = { prefer: 'wait=60' };
  const made = await app.ask('POST /v1/runs', { key: right, json, headers: wait });
  expect(made.body).toMatchObject({ status: 'succeeded' });
  // Nor does doing it again help.
  const again = await app.ask(`POST /v1/runs/${String(made.body['id'])}/rerun`, { key: plain, json: {} });
  expect(again.status).toBe(403);
});

test('what webhooks of any workflow are signed with is given to no tool', async () => {
  await app.ask('PUT /v1/secrets/HOOK', { json: { value: `whsec_${randomBytes(24).toString('base64')}` } });
  await app.deploy('workflow: hooked\non: [{ webhook: ci, secret: HOOK }]\nsteps: [{ id: it, tool: leaky/recall }]\n');
  const taking = leaky('store').replace('secrets.CANARY', 'secrets.HOOK');
  const started = await app.ask('POST /v1/runs', { json: { workflow: taking } });
  const deployed = await app.deploy(taking);
  for (const { status, text } of [started, deployed]) {
    expect([status, text]).toEqual([422, expect.stringContaining('secret-of-webhook')]);
  }
});

/** A webhook in another project, which names a secret there. */
const hooked = (name: string, secret: string): string =>
  `workflow: ${name}\non: [{ webhook: it, secret: ${secret} }]\nsteps: [{ id: it, tool: leaky/recall }]\n`;

test('A webhook of a workflow that a secret is not bound to neither stops its use nor shows that it is there', async () => {
  await app.ask('PUT /v1/secrets/OURS', { json: { value: canary, workflows: ['ours'] } });
  expect((await app.deploy(storing('ours', 'OURS'))).status).toBe(201);
  expect((await app.deploy(hooked('theirs', 'OURS'))).status).toBe(201);
  expect((await ended('ours'))[0]).toBe('succeeded');
  expect((await app.deploy(storing('ours', 'OURS'))).text).not.toContain('secret-of-webhook');
  // Where a workflow of the binding has the webhook, others see no more than before.
  await app.ask('PUT /v1/secrets/SIGNS', { json: { value: `k${canary}${canary}`, workflows: ['signed'] } });
  expect((await app.deploy(hooked('signed', 'SIGNS'))).status).toBe(201);
  const findingsOn = async (secret: string): Promise<string> =>
    JSON.stringify((await app.deploy(storing('theirs', secret))).body['findings']).replaceAll(secret, '');
  expect(await findingsOn('SIGNS')).toBe(await findingsOn('NEVER'));
});

test('A webhook is not deployed with a secret that another workflow gives to a tool', async () => {
  await app.ask('PUT /v1/secrets/SHARED', { json: { value: canary } });
  expect((await app.deploy(storing('gives', 'SHARED'))).status).toBe(201);
  const { status, text } = await app.deploy(hooked('squats', 'SHARED'));
  expect([status, text]).toEqual([422, expect.stringContaining('secret-of-webhook')]);
  expect((await ended('gives'))[0]).toBe('succeeded');
  // A version that gives it to a tool no more may sign with it.
  await app.ask('PUT /v1/secrets/SHARED', { json: { value: `k${canary}${canary}` } });
  expect((await app.deploy(hooked('gives', 'SHARED'))).status).toBe(201);
});

/** Of a run of what is deployed: its status, and what its step failed with. */
async function ended(name: string): Promise<readonly unknown[]> {
  const { body } = await app.ask('POST /v1/runs', { json: { workflow: name }, headers: { prefer: 'wait=60' } });
  return [body['status'], JSON.stringify(body['error'] ?? body['failure'] ?? null)];
}

const storing = (name: string, secret: string): string => `
workflow: ${name}
steps:
  - { id: it, tool: leaky/store, with: { value: "\${{ secrets.${secret} }}" }, retry: { attempts: 1 } }
`;

test('a bound secret goes to no other workflow or server, also if it was bound after the deployment', async () => {
  const bind = (json: object) => app.ask('PUT /v1/secrets/BOUND', { json });
  await app.ask('PUT /v1/secrets/CREDENTIAL', { json: { value: credential } });
  await bind({ value: 'bound-7d6e5f4c' });
  await app.deploy(storing('mine', 'BOUND'));
  await app.deploy(storing('other', 'BOUND'));
  await bind({ workflows: ['mine'], servers: ['leaky'] });
  expect(await ended('mine')).toEqual(['succeeded', 'null']);
  expect(await ended('other')).toEqual(['failed', expect.stringContaining('No secret \\"BOUND\\" is stored')]);
  const deployed = await app.deploy(`${storing('other', 'BOUND')}# again`);
  expect([deployed.status, deployed.text]).toEqual([201, expect.stringContaining('unknown-secret')]);
  // What comes with its run may call itself anything.
  const json = { workflow: storing('mine', 'BOUND') };
  const inline = await app.ask('POST /v1/runs', { json, headers: { prefer: 'wait=60' } });
  expect([inline.body['status'], inline.text]).toEqual(['failed', expect.stringContaining('is not deployed')]);
  await bind({ servers: ['tools'] });
  expect(await ended('mine')).toEqual(['failed', expect.stringContaining('and not to \\"leaky\\"')]);
});

test('a secret that is bound to other servers opens no session of one that mcp.json gives it', async () => {
  await app.ask('PUT /v1/secrets/GUARDED', { json: { value: 'guarded-3c2b1a', servers: ['tools'] } });
  const tested = await app.ask('POST /v1/servers/pasted/test');
  expect(tested.text).toContain('and not to \\"pasted\\"');
});

test('what a webhook came to be signed with later, no tool learns any more', async () => {
  await app.ask('PUT /v1/secrets/CREDENTIAL', { json: { value: credential } });
  const value = `whsec_${randomBytes(24).toString('base64')}`;
  await app.ask('PUT /v1/secrets/LATER', { json: { value, workflows: ['before'] } });
  await app.deploy(storing('before', 'LATER'));
  await app.deploy(hooked('after', 'LATER'));
  expect(await ended('before')).toEqual(['succeeded', 'null']);
  await app.ask('PUT /v1/secrets/LATER', { json: { workflows: null } });
  expect(await ended('before')).toEqual(['failed', expect.stringContaining('A webhook is signed with')]);
});
