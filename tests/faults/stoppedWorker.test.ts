import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { LedgerEntry } from '@baton/testing';
import { readLedger, toolsServer } from '@baton/testing';
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

const folder = mkdtempSync(join(tmpdir(), 'baton-stopped-'));
const ledger = join(folder, 'ledger');
let baton: Installation;

beforeAll(async () => {
  const servers = { work: { ...toolsServer(ledger), baton: { concurrency: 10 } } };
  baton = await Installation.start({ servers, workers: 1 });
  await baton.deploy(asking);
  await baton.deploy(going);
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
