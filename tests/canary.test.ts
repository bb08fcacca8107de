import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { toolsServer } from '@baton/testing';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { type Run, Installation } from './installation.ts';

const canary = 'canary+"9/7a?3c-d1e5f8';
const adminKey = 'an-admin-key-of-our-own-0123456789abcdef';
const forms = [
  'd1e5f8',
  JSON.stringify(canary).slice(1, -1),
  encodeURIComponent(canary),
  Buffer.from(canary).toString('base64').replace(/=+$/, ''),
  Buffer.from(canary).toString('hex'),
];

const workflow = `workflow: canary
steps:
  - { id: said, tool: tools/echo, with: { message: "Bearer \${{ secrets.CANARY }}" } }
  - { id: wrong, tool: tools/fail, effect: read, with: { message: "no \${{ secrets.CANARY }}" }, onError: ignore }
  - { id: lost, tool: tools/crash, effect: read, with: { said: "\${{ secrets.CANARY }}" }, onError: ignore }
  - { id: odd, tool: tools/stderr, effect: read, with: { bytes: 4096, said: "\${{ secrets.CANARY }}" } }
outputs: { said: "\${{ steps.said.text }}" }
`;

let baton: Installation;
const folder = mkdtempSync(join(tmpdir(), 'baton-canary-'));

beforeAll(async () => {
  baton = await Installation.start({
    servers: { tools: { ...toolsServer(join(folder, 'ledger')), env: { CANARY: '${secret:CANARY}' } } },
    env: { BATON_ADMIN_KEY: adminKey, LOG_LEVEL: 'trace' },
  });
});

afterAll(async () => {
  await baton.stop();
  rmSync(folder, { recursive: true });
});

async function dump(): Promise<string> {
  const client = new Client({ connectionString: baton.databaseUrl });
  await client.connect();
  const { rows: tables } = await client.query<{ name: string }>(
    `select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await client.query<{ text: string }>(`select one::text as text from ${name} one`);
    texts.push(...rows.map(({ text }) => text));
  }
  await client.end();
  return texts.join('\n');
}

test('[L-108] a secret is in no log of whole processes, however much they tell, nor in database, stream or export', async () => {
  expect((await baton.api('PUT', '/v1/secrets/CANARY', { value: canary })).status).toBe(201);
  await baton.deploy(workflow);
  const run: Run = await baton.ended(await baton.start('canary'));
  expect(run).toMatchObject({ status: 'succeeded', outputs: { said: 'Bearer [secret]' } });
  const stream = await baton.api('GET', `/v1/runs/${run.id}/events`, undefined, { accept: 'text/event-stream' });
  const exported = await baton.api('GET', '/v1/audit/export');
  const logs = baton.apps.map((app) => app.log());
  expect(logs.every((log) => log.length > 0)).toBe(true);
  const lines = logs.flatMap((log) => log.trim().split('\n'));
  expect(lines.filter((line) => !line.startsWith('{"level":'))).toEqual([]);
  const told = lines.find((line) => line.includes('"msg":"step.succeeded"'));
  expect(JSON.parse(told ?? '')).toMatchObject({ runId: run.id, step: 'said', seq: expect.any(Number) as number });
  const places = { run, stream: stream.body, exported: exported.body, logs, database: await dump() };
  for (const [place, value] of Object.entries(places)) {
    const text = JSON.stringify(value);
    expect([
      place,
      forms.filter((form) => text.includes(form) || text.includes(JSON.stringify(form).slice(1, -1))),
    ]).toEqual([place, []]);
    expect([place, text.includes(adminKey)]).toEqual([place, false]);
  }
});
