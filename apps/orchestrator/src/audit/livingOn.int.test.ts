/**
 * Goal: what the owner of the database wrote is neither acted upon nor vouched for, however long Baton goes on.
 * Method: a run that has paid, and one that waits for an approval. The owner changes both as far as every format allows,
 * and removes every mark. Then a whole orchestrator lives for two minutes (its waits pass at once) beside a worker, which
 * is a process; then both start again, and an outsider verifies an export with the public key from before.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { SharedClock } from '@baton/runner';
import { AuditVerifier, claimMarks, genesis, linkHash, openStore, readPublicKey } from '@baton/store';
import { type FreshStore, freshStore, readLedger, tamper, testSecretKey, toolsServer, TestClock } from '@baton/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

import { type TestApp, openTestApp } from '../testing/testApp.ts';
import { type TestWorker, startTestWorker } from '../testing/testWorker.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const minuteMs = 60_000;
let folder: string;
let servers: Readonly<Record<string, object>>;
let store: FreshStore;
let app: TestApp;
let worker: TestWorker;
const waits = new TestClock();

const payments = `
workflow: pay
inputs: { to: { type: string }, ask: { type: boolean } }
steps:
  - { id: ok, if: inputs.ask, ask: "Pay?" }
  - { id: sent, tool: tools/write }
outputs: { to: "\${{ inputs.to }}" }
`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'baton-living-on-'));
  store = await freshStore();
  servers = { tools: { ...toolsServer(join(folder, 'ledger')) } };
  const own = {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    after: (ms: number, callback: () => void) => waits.after(ms, callback),
  };
  const clock = new SharedClock({ readTime: async () => Date.now(), own, onWarning: () => undefined });
  app = await openTestApp(store, store.url, { servers, parts: { clock } });
  worker = await startTestWorker(store.url, servers);
  await app.deploy(payments);
});

afterAll(async () => {
  await worker.stop();
  await app.close();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

async function started(inputs: object): Promise<string> {
  const { body } = await app.ask('POST /v1/workflows/pay/runs', { json: { inputs } });
  return String(body['id']);
}

async function statusOf(id: string): Promise<string | undefined> {
  const { rows } = await store.pool.query<{ status: string }>('select status from run where id = $1', [id]);
  return rows[0]?.status;
}

/** With right hashes, and without any mark. */
async function rewrite(runId: string): Promise<void> {
  const { rows } = await store.pool.query<{ seq: number; at: string; type: string; data: string }>(
    'select seq, at, type, data::text as data from run_event where run_id = $1 order by seq',
    [runId],
  );
  let head = genesis;
  for (const { at, ...event } of rows) {
    head = linkHash(head, { runId, at: Number(at), ...event });
    await tamper(
      store,
      `update run_event set hash = decode('${head}', 'hex'), mark = null, xact = null
       where run_id = '${runId}' and seq = ${event.seq}`,
    );
  }
}

const writes = (): unknown[] => readLedger(join(folder, 'ledger')).filter(({ call }) => call === 'write');

test('a rewritten history and a forged approval come to nothing', async () => {
  const ids = {
    paid: await started({ to: 'the tax office', ask: false }),
    asking: await started({ to: 'eve', ask: true }),
  };
  await expect.poll(() => statusOf(ids.paid), { timeout: 30_000 }).toBe('succeeded');
  await expect.poll(() => statusOf(ids.asking), { timeout: 30_000 }).toBe('waiting');
  await app.ask('GET /v1/audit/export');
  const { publicKey } = (await app.ask('GET /v1/audit/key')).body;
  const before = writes().length;
  await tamper(
    store,
    `update run_event set data = replace(data::text, 'the tax office', 'the attacker')::json where run_id = '${ids.paid}';
     update run set inputs = replace(inputs::text, 'the tax office', 'the attacker')::jsonb,
       outputs = replace(outputs::text, 'the tax office', 'the attacker')::jsonb where id = '${ids.paid}';
     insert into run_event (run_id, seq, at, type, data, hash)
       select run_id, max(seq) + 1, max(at) + 1, 'question.answered', '{"path":"ok","answer":true,"by":"ada"}', ''
       from run_event where run_id = '${ids.asking}' group by run_id;
     delete from sealed_run; delete from seal; delete from audit_entry;
     update run set wake_at = now() where id = '${ids.asking}'`,
  );
  await rewrite(ids.paid);
  await rewrite(ids.asking);
  for (const _minute of [1, 2]) {
    waits.pass(minuteMs);
    // A task that met the raising of the fence tries again sooner than in a minute.
    const isOver = (): boolean => {
      waits.pass(1_000);
      return waits.isAwaited(minuteMs);
    };
    await expect.poll(isOver, { timeout: 30_000 }).toBe(true);
  }
  // What processes saw is gone: the fence stands, and the worker has ended.
  const readiness = async (): Promise<unknown> => (await app.ask('GET /readyz')).body;
  await expect.poll(readiness, { timeout: 30_000 }).toMatchObject({ status: 'fenced' });
  expect(await statusOf(ids.asking)).not.toBe('succeeded');
  expect(writes()).toHaveLength(before);
  const verified = await app.ask('POST /v1/audit/verify');
  expect(verified.body).toMatchObject({ isIntact: false, problem: { kind: 'forged', where: 'entries' } });
  const { text } = await app.ask('GET /v1/audit/export?unsealed=true');
  const verifier = new AuditVerifier({ publicKey: readPublicKey(String(publicKey)) });
  for (const line of text.trimEnd().split('\n')) verifier.takeLine(line);
  const report = verifier.report({ isFile: true });
  expect({ signedBy: report.signedBy, seals: report.seals }).toEqual({ signedBy: undefined, seals: 0 });

  await expect(startTestWorker(store.url, servers)).rejects.toThrow(/audit of this database is forged/);
  const restarted = openStore({ url: store.url, secretKey: testSecretKey });
  await expect(claimMarks(restarted)).rejects.toThrow(/audit of this database is forged/);
  expect((await restarted.journal.open(ids.asking))?.forgery).toMatchObject({ seq: 1 });
  await restarted.close();
  const begun = await store.pool.query(`select from audit_entry where action = 'audit.begun'`);
  expect(begun.rowCount).toBe(0);
});
