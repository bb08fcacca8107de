import { mkdtempSync, readFileSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type LedgerEntry, brokenBehindShell, readLedger, toolsServer } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { Installation, outputOf } from '../installation.ts';

const step = (n: number, tool: string, more = ''): string =>
  `  - id: s${n}\n    tool: work/${tool}\n    with: { n: ${n}${more} }\n`;

/** Twenty steps; the twelfth is a read that takes long enough to be killed in. */
const twenty = `workflow: twenty
steps:
${Array.from({ length: 20 }, (_, at) => (at === 11 ? step(12, 'slow', ', ms: 3000') : step(at + 1, at % 2 === 0 ? 'write' : 'echo', ', message: hello'))).join('')}`;

/** One long write: killed in the middle, its outcome is unknown. */
const felt = `workflow: felt
steps:
  - id: charge
    tool: work/stubborn
    with: { n: 1, ms: 60000 }
`;

/** The same, and the server can be asked whether it happened. */
const asked = `workflow: asked
steps:
  - id: posted
    tool: work/post
    with: { of: "\${{ run.id }}", hangs: true }
outputs: { of: "\${{ steps.posted.output.of }}" }
`;

const check = {
  tool: 'posted',
  with: { of: '${{ call.arguments.of }}' },
  happened: 'result.output.times > 0',
  output: 'result.output.posts[0]',
};

/** A server that ends neither with its stdin nor when it is asked to, behind a shell. */
const opened = `workflow: opened
steps:
  - { id: open, tool: stubborn/pid, effect: read }
outputs: { pid: "\${{ steps.open.text }}" }
`;

/** A zombie does not live. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'));
  } catch {
    return false;
  }
}

describe('a worker that is killed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-ledger-'));
  const ledger = join(folder, 'ledger');
  let baton: Installation;

  const calls = (tool?: string): LedgerEntry[] =>
    readLedger(ledger).filter(({ call }) => call !== undefined && (tool ?? call) === call);

  const until = async (isSo: () => boolean): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const watcher = watch(ledger, () => isSo() && resolve());
    if (isSo()) resolve();
    await promise;
    watcher.close();
  };

  beforeAll(async () => {
    const work = { ...toolsServer(ledger), baton: { tools: { post: { check } } } };
    const servers = { work, stubborn: brokenBehindShell('stubborn') };
    baton = await Installation.start({ servers, workers: 1 });
    await baton.deploy(twenty);
    await baton.deploy(felt);
    await baton.deploy(asked);
    await baton.deploy(opened);
  });

  afterAll(async () => {
    await baton.stop();
    rmSync(folder, { recursive: true });
  });

  test('loses no run: another goes on, no write is done twice, no finished step runs again', async () => {
    const id = await baton.start('twenty');
    await until(() => calls('slow').length === 1);
    const [victim] = baton.workers;
    await victim?.kill('SIGKILL');
    await baton.startWorker();
    const run = await baton.ended(id);
    expect(run).toMatchObject({ status: 'succeeded' });
    const perStep = Map.groupBy(calls(), (entry) => entry.arguments?.['n']);
    expect(perStep.size).toBe(20);
    // The read that was under way is asked again; nothing else is.
    const twice = [...perStep].filter(([, entries]) => entries.length > 1).map(([n, { length }]) => [n, length]);
    expect(twice).toEqual([[12, 2]]);
    const [before, after] = [run.steps[0], run.steps[19]].map((one) => one?.attempts[0]?.worker);
    expect(before).not.toBe(after);
  });

  test('leaves none of its servers after the next start, not even one that nothing but force ends', async () => {
    const run = await baton.ended(await baton.start('opened'));
    const pid = Number(outputOf(run, 'pid'));
    await baton.workers.at(-1)?.kill('SIGKILL');
    expect(isAlive(pid)).toBe(true);
    await baton.startWorker();
    expect(isAlive(pid)).toBe(false);
  });

  test('in the middle of a write leaves an outcome that is unknown, and says what to do', async () => {
    const before = calls('stubborn').length;
    const id = await baton.start('felt');
    await until(() => calls('stubborn').length === before + 1);
    await baton.workers.at(-1)?.kill('SIGKILL');
    await baton.startWorker();
    const run = await baton.ended(id);
    expect(run).toMatchObject({ status: 'failed', error: { code: 'outcome-unknown', step: 'charge' } });
    expect(run.error?.message).toMatch(
      /^The call to work\/stubborn may or may not have happened: find out at the server/,
    );
    expect(calls('stubborn').length).toBe(before + 1);
  });

  test('A write whose worker is killed in its middle ends green without a person, and is done once, where its server can be asked', async () => {
    const id = await baton.start('asked');
    await until(() => calls('post').length === 1);
    await baton.workers.at(-1)?.kill('SIGKILL');
    await baton.startWorker();
    const run = await baton.ended(id);
    expect(run).toMatchObject({ status: 'succeeded', outputs: { of: id } });
    expect(calls('post').length).toBe(1);
  });

  test('A retry of a run that ended with an unknown write asks the server first, and makes no second write', async () => {
    const before = calls('post').length;
    const id = await baton.start('asked');
    await until(() => calls('post').length === before + 1);
    await baton.workers.at(-1)?.kill('SIGKILL');
    // It ends before anything has looked whether the write happened.
    await baton.api('POST', `/v1/runs/${id}/cancel`, {});
    await baton.startWorker();
    expect(await baton.ended(id)).toMatchObject({ status: 'cancelled' });
    const lookup = { by: 'check', target: 'work/posted' };
    const again = [{ path: 'posted', target: 'work/post', outcome: 'unknown', lookup }];
    const preview = await baton.api('POST', `/v1/runs/${id}/retry`, { preview: true });
    expect(preview.body).toMatchObject({ again });
    const { body } = await baton.api('POST', `/v1/runs/${id}/retry`, {});
    const retried = await baton.ended((body as { id: string }).id);
    expect(retried).toMatchObject({ status: 'succeeded', outputs: { of: id } });
    expect(calls('post').length).toBe(before + 1);
  });
});
