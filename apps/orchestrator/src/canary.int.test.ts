import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Vault } from '@baton/store';
import type { FreshStore } from '@baton/testing';
import { freshStore, readLedger, toolsServer } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { TestApp } from './testing/testApp.ts';
import { openTestApp } from './testing/testApp.ts';
import type { TestWorker } from './testing/testWorker.ts';
import { startTestWorker } from './testing/testWorker.ts';

let folder: string;
let store: FreshStore;
let app: TestApp;
let worker: TestWorker;

const canary = 'canary+"9/7a?3c-d1e5f8';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'baton-canary-'));
  store = await freshStore();
  const tools = toolsServer(join(folder, 'ledger'));
  const servers = { tools: { ...tools, env: { CANARY: '${secret:CANARY}' } } };
  const key = randomBytes(32);
  app = await openTestApp(store, store.url, { servers, parts: { vault: new Vault(key) } });
  worker = await startTestWorker(store.url, servers, { BATON_SECRET_KEY: key.toString('base64') });
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
outputs: { said: "\${{ steps.said.text }}" }
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

test('a secret reaches the tool, and nothing else: not the database, the events, the run or the export', async () => {
  expect((await app.ask('PUT /v1/secrets/CANARY', { json: { value: canary } })).status).toBe(201);
  const run = await app.ask('POST /v1/runs', { json: { workflow }, headers: { prefer: 'wait=60' } });
  expect(run.body).toMatchObject({ status: 'succeeded', outputs: { said: 'Bearer [secret]' } });
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
