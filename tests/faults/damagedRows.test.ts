import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { toolsServer } from '@baton/testing';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { Installation, isAlive } from '../installation.ts';

/**
 * Goal: a damaged row costs its workflow, and no process: the others go on.
 * Method: a workflow for each damage, all damages at once as the owner of the database could do them; then the background
 * tasks of an orchestrator and a worker go on for long enough to meet each of them more than once.
 */
const damages: Readonly<Record<string, string>> = {
  source: `update definition set source = source || ' ' where digest = (select digest from workflow_version where workflow_id = $1)`,
  pins: `update definition set pins = '[1, null]' where digest = (select digest from workflow_version where workflow_id = $1)`,
  edition: `update definition set edition = 99 where digest = (select digest from workflow_version where workflow_id = $1)`,
  findings: `update workflow_version set findings = '"rubbish"' where workflow_id = $1`,
  latest: 'update workflow set latest = 77 where id = $1',
  scheduled: `update workflow set scheduled = null where id = $1;
              update definition set source = '{' where digest = (select digest from workflow_version where workflow_id = $1)`,
  cron: `update schedule set cron = 'rubbish' where workflow = $1`,
  timezone: `update schedule set timezone = 'No/Where' where workflow = $1`,
  overlap: `update schedule set overlap = 'rubbish', catch_up = 'rubbish' where workflow = $1`,
  trigger: `update schedule set trigger = 'none', version = 77 where workflow = $1`,
  window: 'update schedule set catch_up_window_ms = -1, next_at = to_timestamp(0) where workflow = $1',
  firing: `update firing set outcome = 'queued', cause = 'rubbish', run_id = null where schedule like $1 || '.%'`,
  status: `update run set status = 'rubbish', wake_at = now() where workflow = $1`,
  detail: `update run set trigger_detail = '[]', inputs = '"rubbish"', wake_at = now() where workflow = $1`,
  wake: `update run set is_waiting = false, worker = 'gone', depth = -1 where workflow = $1`,
  event: `update run_event set data = '"rubbish"' where run_id in (select id from run where workflow = $1);
          update run set wake_at = now() where workflow = $1`,
  hash: `update run_event set hash = '\\x00', type = 'rubbish' where run_id in (select id from run where workflow = $1);
         update run set wake_at = now(), is_cancelling = true where workflow = $1`,
  ended: `update run set ended_at = now(), outputs = '"rubbish"', failure = '[]' where workflow = $1`,
  child: `insert into child_end select id, gen_random_uuid() from run where workflow = $1`,
  turn: `insert into turn select id, 'rubbish', -1, now(), true from run where workflow = $1;
         update run set ended_at = now() - interval '1 day' where workflow = $1`,
  callback: `insert into callback select id, 'rubbish', 'NONE', 'pending', -1, now() from run where workflow = $1;
             update run set ended_at = now() where workflow = $1`,
  hook: `insert into hook_delivery (workflow, hook, outcome, reason) values ($1, 'rubbish', 'rubbish', null)`,
  key: `insert into api_key (id, name, secret_hash, scopes, limits, created_by) values ($1, '', '\\x00', '{rubbish}', '"rubbish"', '')`,
  secret: `insert into secret (name, version, sealed, wrapped, key_id, created_by) values ($1, 1, '\\x00', '\\x00', 'none', '')`,
  worker: `insert into worker (id, host, pid, version, started_at, heartbeat_at, servers)
           values ($1, '', -1, '', now(), now() - interval '1 day', '"rubbish"')`,
};

const folder = mkdtempSync(join(tmpdir(), 'baton-damaged-'));
let baton: Installation;
let owner: Client;

beforeAll(async () => {
  baton = await Installation.start({ servers: { work: toolsServer(join(folder, 'ledger')) } });
  owner = new Client(baton.databaseUrl);
  await owner.connect();
});

afterAll(async () => {
  await owner.end();
  await baton.stop();
  rmSync(folder, { recursive: true });
});

const steps = { quick: '- { id: told, tool: work/echo, with: { message: done } }', waiting: '- { wait: 1h }' };

const text = (id: string, cron: string, step: string): string =>
  `workflow: ${id}\non:\n  - { schedule: "${cron}", overlap: allow }\nsteps:\n  ${step}\n`;

/** As the owner of the database could do it. The schedule of the workflow becomes due. */
async function damage(id: string, sql: string): Promise<void> {
  const due = `update schedule set next_at = now() where workflow = $1;`;
  await owner.query(`${due} ${sql}`.replaceAll('$1', `'${id}'`));
}

const startAll = (): Promise<unknown> =>
  Promise.all(Object.keys(damages).map((id) => baton.api('POST', `/v1/workflows/${id}/runs`, { inputs: {} })));

test('damaged rows cost their workflows and end no process: what is sound is started, fires, waits and goes on', async () => {
  await baton.deploy(text('sound', '*/2 * * * * *', steps.quick));
  await baton.deploy(text('patient', '0 0 1 1 *', '- { wait: 8s }'));
  await Promise.all(Object.keys(damages).map((id) => baton.deploy(text(id, '0 0 1 1 *', steps.waiting))));
  await startAll();
  const patient = await baton.start('patient');
  const isWaiting = async (): Promise<number> =>
    (await owner.query('select from run where is_waiting and workflow <> $1', ['sound'])).rows.length;
  await expect.poll(isWaiting).toBe(Object.keys(damages).length + 1);
  await owner.query('set session_replication_role = replica');
  for (const [id, sql] of Object.entries(damages)) await damage(id, sql);
  await startAll();
  const fired = async (): Promise<number> =>
    (await owner.query(`select from run where workflow = 'sound' and status = 'succeeded'`)).rows.length;
  const before = await fired();
  await expect.poll(fired).toBeGreaterThan(before + 4);
  // Beside a start, the tools of a definition that was judged five seconds ago are judged again.
  await startAll();
  expect((await baton.ended(patient)).status).toBe('succeeded');
  await expect.poll(fired).toBeGreaterThan(before + 6);
  expect((await baton.ended(await baton.start('sound'))).status).toBe('succeeded');
  for (const { child, log } of baton.apps)
    expect([isAlive(child), /^.*"level":"fatal".*$/m.exec(log())?.[0]]).toEqual([true, undefined]);
});
