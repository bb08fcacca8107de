import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { readLedger, toolsServer } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { Installation } from '../installation.ts';
import { pause } from '../pause.ts';

/** A tool that goes on for ten minutes, and ignores cancellation. */
const workflow = `workflow: endless
steps:
  - id: first
    tool: work/write
    undo: { tool: work/echo, with: { message: undone } }
  - id: endless
    tool: work/stubborn
    with: { ms: 600000 }
  - id: never
    tool: work/write
`;

const folder = mkdtempSync(join(tmpdir(), 'baton-cancelled-'));
const ledger = join(folder, 'ledger');
let baton: Installation;

beforeAll(async () => {
  const servers = { work: { ...toolsServer(ledger), baton: { concurrency: 10 } } };
  baton = await Installation.start({ servers, workers: 1 });
  await baton.deploy(workflow);
});

afterAll(async () => {
  await baton.stop();
  rmSync(folder, { recursive: true });
});

const calls = (tool: string): number => readLedger(ledger).filter(({ call }) => call === tool).length;

async function startedRuns(count: number): Promise<string[]> {
  const before = calls('stubborn');
  const ids = await Promise.all(Array.from({ length: count }, () => baton.start('endless')));
  while (calls('stubborn') < before + count) await pause(20);
  return ids;
}

test('a run that is cancelled ends, whether its tool does not listen or its worker is dead; what was done is undone', async () => {
  const [deaf = '', orphan = ''] = await startedRuns(2);
  await baton.api('POST', `/v1/runs/${deaf}/cancel`);
  const ends = [await baton.ended(deaf)];
  await baton.workers[0]?.kill('SIGKILL');
  await baton.api('POST', `/v1/runs/${orphan}/cancel`);
  await baton.startWorker();
  ends.push(await baton.ended(orphan));
  expect(ends.map(({ status, steps }) => [status, steps[0]?.status, steps[1]?.status])).toEqual([
    ['cancelled', 'succeeded', 'unknown'],
    ['cancelled', 'succeeded', 'unknown'],
  ]);
  expect([calls('stubborn'), calls('write'), calls('echo')]).toEqual([2, 2, 2]);
});
