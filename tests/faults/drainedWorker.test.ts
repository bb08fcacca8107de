import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { LedgerEntry } from '@baton/testing';
import { readLedger, toolsServer } from '@baton/testing';
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
  baton = await Installation.start({ servers, workers: 1 });
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
