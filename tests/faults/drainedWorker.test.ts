import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type LedgerEntry, readLedger, toolsServer } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { Installation } from '../installation.ts';
import { pause } from '../pause.ts';

const workflow = `workflow: two-writes
steps:
  - id: first
    tool: work/stubborn
    with: { ms: 1500 }
  - id: second
    tool: work/write
`;

const runs = 10;
const folder = mkdtempSync(join(tmpdir(), 'baton-drained-'));
const ledger = join(folder, 'ledger');
let baton: Installation;

beforeAll(async () => {
  const servers = { work: { ...toolsServer(ledger), baton: { concurrency: 20 } } };
  baton = await Installation.start({ servers, workers: 1, env: { LOG_LEVEL: 'debug' } });
  await baton.deploy(workflow);
});

afterAll(async () => {
  await baton.stop();
  rmSync(folder, { recursive: true });
});

const calls = (tool: string): LedgerEntry[] => readLedger(ledger).filter(({ call }) => call === tool);

test('a worker that is asked to stop lets its calls end, and another one goes on: nothing is lost, nothing done twice', async () => {
  const ids = await Promise.all(Array.from({ length: runs }, () => baton.start('two-writes')));
  while (calls('stubborn').length < runs) await pause(20);
  const [old] = baton.workers;
  const gone = old?.kill('SIGTERM');
  await baton.startWorker();
  const ended = await Promise.all(ids.map((id) => baton.ended(id)));
  await gone;
  expect(ended.map(({ status, steps }) => [status, steps[0]?.status, steps[0]?.attempts.length])).toEqual(
    ids.map(() => ['succeeded', 'succeeded', 1]),
  );
  expect([calls('stubborn').length, calls('write').length]).toEqual([runs, runs]);
  expect(old?.child.exitCode).toBe(0);
});

test('a worker that is told to drain takes no more runs, hands over those it has, and stays', async () => {
  const [kept] = baton.workers.slice(-1);
  const { data } = await baton.client.system.workers();
  const id = data.find(({ status }) => status === 'working')?.id;
  if (id === undefined) throw new Error('no worker is listed');
  const mayEnd = join(folder, 'may-end');
  const slow = await baton.deploy(
    workflow.replace('two-writes', 'slow-writes').replace('stubborn', 'held').replace('ms: 1500', `file: ${mayEnd}`),
  );
  const begun = await baton.start(slow);
  while (calls('held').length === 0) await pause(20);
  await baton.startWorker();
  await baton.client.system.drain(id);
  while (!kept?.log().includes('was asked to drain')) await pause(20);
  writeFileSync(mayEnd, '');
  const later = await Promise.all(Array.from({ length: runs }, () => baton.start('two-writes')));
  const ended = await Promise.all([begun, ...later].map((run) => baton.ended(run)));
  expect(ended.map(({ status }) => status)).toEqual(ended.map(() => 'succeeded'));
  const workersOf = async (run: string): Promise<string[]> => {
    const { data: events } = await baton.client.runs.events(run);
    return events.filter(({ type }) => type === 'run.claimed').map(({ worker }) => String(worker));
  };
  const [first, ...others] = await workersOf(begun);
  expect([first, others.length]).toEqual([id, 1]);
  const takers = new Set((await Promise.all(later.map(workersOf))).flat());
  expect([...takers]).toEqual(others);
  // It logs each run that it looks at.
  expect(kept.log()).toContain(begun);
  expect(later.filter((run) => kept.log().includes(run))).toEqual([]);
  expect(kept.child.exitCode).toBeNull();
});
