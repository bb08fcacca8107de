/** `baton server`: both roles in one process, from outside. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { readLedger, soon, toolsServer } from '@baton/testing';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { Installation } from './installation.ts';
import { pause } from './pause.ts';

const workflow = `workflow: two-writes
steps:
  - { id: first, tool: work/stubborn, with: { ms: 1500 } }
  - { id: second, tool: work/write }
`;
const short = 'workflow: one-write\nsteps: [{ id: a, tool: work/write }]';
const runs = 4;
const folder = mkdtempSync(join(tmpdir(), 'baton-server-'));
const ledger = join(folder, 'ledger');
let baton: Installation;

beforeAll(async () => {
  baton = await Installation.start({
    servers: { work: { ...toolsServer(ledger), baton: { concurrency: 20 } } },
    env: { BATON_METRICS_PORT: '0' },
  });
  await baton.deploy(workflow);
  await baton.deploy(short);
});

afterAll(async () => {
  await baton.stop();
  rmSync(folder, { recursive: true });
});

const calls = (tool: string): number => readLedger(ledger).filter(({ call }) => call === tool).length;

test('A server answers for both of its roles at one address, and has one pool of sessions', async () => {
  const [server] = baton.orchestrators;
  const { body: run } = await baton.api('POST', '/v1/runs', { workflow: short }, waiting);
  expect(run).toMatchObject({ status: 'succeeded' });
  // The answer is made of what the driver has stored; here the journal is read.
  expect(await baton.api('GET', `/v1/runs/${String(run['id'])}`)).toMatchObject({ body: run });
  const { data: workers } = await baton.client.system.workers();
  expect(workers).toMatchObject([{ id: server?.ready['worker'], status: 'working', pid: server?.child.pid }]);
  expect((await baton.api('GET', '/readyz')).body).toMatchObject({
    status: 'ok',
    parts: { retention: { status: 'ok' }, worker: { status: 'ok' } },
  });
  const atApi = String((await baton.api('GET', '/metrics')).body['text']);
  const atOwnPort = await (await fetch(String(server?.ready['metrics']))).text();
  for (const text of [atApi, atOwnPort]) {
    expect(text).toContain('baton_worker_runs_finished_total{status="succeeded"} 1');
    expect(text).toContain('baton_runs_requested_total{kind="new"} 1');
    expect(text).toContain('baton_mcp_sessions{server="work",state="idle"} 1');
  }
  const { body: stats } = await baton.api('GET', '/v1/servers/work/stats');
  expect(stats['processes']).toMatchObject([{ process: server?.ready['worker'] }]);
});

test('A server stores a run that can begin at once in one transaction with its claim and the intent of its first call', async () => {
  const database = new Client({ connectionString: baton.databaseUrl });
  await database.connect();
  onTestFinished(async () => database.end());
  const inFirstTransaction = `select type from run_event
    where run_id = $1 and xmin::text = (select xmin::text from run_event where run_id = $1 and seq = 1) order by seq`;
  // Where the machine is busy, a run whose first decision is late goes through the queue.
  await soon(async () => {
    const { body } = await baton.api('POST', '/v1/workflows/one-write/runs', {}, waiting);
    const { rows } = await database.query<{ type: string }>(inFirstTransaction, [body['id']]);
    expect(rows.map(({ type }) => type)).toEqual(['run.requested', 'run.claimed', 'step.started']);
  });
});

const waiting = { prefer: 'wait=60' };

test('A server that is asked to stop answers who waits, lets its calls end, and another one goes on with its runs', async () => {
  const [old] = baton.orchestrators;
  const before = calls('write');
  const started = Array.from({ length: runs }, () => baton.api('POST', '/v1/workflows/two-writes/runs', {}, waiting));
  while (calls('stubborn') < runs) await pause(20);
  const gone = old?.kill('SIGTERM');
  const accepted = await Promise.all(started);
  expect(accepted.map(({ status }) => status)).toEqual(accepted.map(() => 202));
  await baton.startServer();
  const ended = await Promise.all(accepted.map(({ body }) => baton.ended(String(body['id']))));
  await gone;
  expect(ended.map(({ status, steps }) => [status, steps[0]?.attempts.length])).toEqual(
    ended.map(() => ['succeeded', 1]),
  );
  expect([calls('stubborn'), calls('write') - before]).toEqual([runs, runs]);
  expect(old?.child.exitCode).toBe(0);
});
