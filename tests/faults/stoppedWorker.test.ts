import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { liveness } from '@baton/runner';
import { type LedgerEntry, readLedger, toolsServer } from '@baton/testing';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { Installation } from '../installation.ts';
import { pause } from '../pause.ts';

/** The call is answered while its worker is stopped. A person is asked whether it happened, and does not answer. */
const asking = `workflow: asking
steps:
  - id: charge
    tool: work/stubborn
    with: { ms: 5000 }
    ifUnknown: ask
`;

/** The worker that takes over goes on with the next step; the one that wakes up must not. */
const going = `workflow: going
steps:
  - id: charge
    tool: work/stubborn
    with: { ms: 5000 }
    onError: ignore
  - id: next
    tool: work/write
`;

/** One run of it at a time goes on, and that one waits. */
const lining = `workflow: lining
concurrency: { limit: 1 }
steps:
  - wait: { signal: go }
`;

/** Calls for longer than it takes until a silent worker is given up. */
const steady = `workflow: steady
steps:
  - id: calls
    forEach: "\${{ range(0, 28) }}"
    maxParallel: 1
    steps:
      - tool: work/slow
        with: { ms: 250 }
`;

const folder = mkdtempSync(join(tmpdir(), 'baton-stopped-'));
const ledger = join(folder, 'ledger');
let baton: Installation;

beforeAll(async () => {
  const servers = { work: { ...toolsServer(ledger), baton: { concurrency: 10 } } };
  baton = await Installation.start({ servers, workers: 1 });
  await baton.deploy(asking);
  await baton.deploy(going);
  await baton.deploy(lining);
  await baton.deploy(steady);
});

afterAll(async () => {
  await baton.stop();
  rmSync(folder, { recursive: true });
});

const calls = (tool: string): LedgerEntry[] => readLedger(ledger).filter(({ call }) => call === tool);

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(50);
}

test('a worker that is stopped until it is given up makes no further call when it goes on; the answer that it has counts', async () => {
  const [asked, gone] = [await baton.start('asking'), await baton.start('going')];
  await until(() => calls('stubborn').length === 2);
  const stopped = baton.workers[0]?.child;
  stopped?.kill('SIGSTOP');
  await baton.startWorker();
  // The other one has both runs now: it finishes one, and can only ask about the other.
  const taken = await baton.ended(gone);
  expect(taken).toMatchObject({
    status: 'succeeded',
    steps: [{ path: 'charge', status: 'unknown' }, { path: 'next' }],
  });
  await until(async () => ((await baton.api('GET', `/v1/runs/${asked}`)).body['questions'] ?? 0) === 1);
  stopped?.kill('SIGCONT');
  const settled = await baton.ended(asked);
  expect(settled).toMatchObject({ status: 'succeeded', steps: [{ path: 'charge', status: 'succeeded' }] });
  // The question is withdrawn.
  expect((await baton.api('GET', '/v1/questions')).body['data']).toEqual([]);
  expect([calls('stubborn').length, calls('write').length]).toEqual([2, 1]);
});

test('a worker whose runs wait for the lock of a stopped one keeps its other runs, and their calls go on', async () => {
  const sql = new Client(baton.databaseUrl);
  await sql.connect();
  await baton.start('lining');
  let key: string | undefined;
  await until(
    async () => (key = (await sql.query<{ key: string }>('select key from turn')).rows[0]?.key) !== undefined,
  );
  const run = await baton.start('steady');
  await until(() => calls('slow').length > 0);
  // As a process that was stopped in the middle of a change of turns.
  await sql.query(`begin; select pg_advisory_xact_lock(hashtextextended('turn ${String(key)}', 0))`);
  // Each worker has ten connections.
  for (let n = 0; n < 24; n += 1) await baton.start('lining');
  expect(await baton.ended(run)).toMatchObject({ status: 'succeeded' });
  await sql.end();
  const { body } = await baton.api('GET', `/v1/runs/${run}/events?limit=200`);
  const events = body['data'] as readonly { readonly type: string }[];
  expect(events.filter(({ type }) => type === 'run.claimed')).toHaveLength(1);
  expect(calls('slow')).toHaveLength(28);
});

test('a worker beside a stopped one, whose lock its runs wait for, renews its heartbeat before its fence closes', async () => {
  const sql = new Client(baton.databaseUrl);
  await sql.connect();
  const [stopped, other] = baton.workers.map(({ child }) => child);
  // When each heartbeat was renewed, by the clock of Postgres.
  await sql.query(`create table beat (pid int, at timestamptz);
    create function note_beat() returns trigger language plpgsql as
      $$ begin insert into beat values (new.pid, new.heartbeat_at); return null; end $$;
    create trigger note_beat after update of heartbeat_at on worker for each row execute function note_beat()`);
  const beats = async (): Promise<readonly number[]> => {
    const text = 'select extract(epoch from at)::float8 * 1000 as ms from beat where pid = $1 order by at';
    return (await sql.query<{ ms: number }>(text, [other?.pid])).rows.map(({ ms }) => ms);
  };
  await baton.start('lining');
  let key: string | undefined;
  await until(
    async () => (key = (await sql.query<{ key: string }>('select key from turn')).rows[0]?.key) !== undefined,
  );
  stopped?.kill('SIGSTOP');
  // What it holds where it is stopped in the middle of a change of turns.
  await sql.query(`begin; select pg_advisory_xact_lock(hashtextextended('turn ${String(key)}', 0))`);
  for (let n = 0; n < 24; n += 1) await baton.start('lining');
  const before = (await beats()).length;
  await until(async () => (await beats()).length >= before + 10);
  await sql.query('rollback');
  stopped?.kill('SIGCONT');
  const all = await beats();
  await sql.end();
  const apart = all.slice(1).map((ms, n) => ms - (all[n] ?? ms));
  expect(Math.max(...apart)).toBeLessThan(liveness.fenceMs);
});
