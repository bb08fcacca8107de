import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { appFile, readLedger, toolsServer } from '@baton/testing';
import { afterAll, expect, test } from 'vitest';

import { Installation } from '../installation.ts';

const workflow = 'workflow: says\nsteps:\n  - { id: said, tool: work/echo, with: { message: hello } }\n';
const folder = mkdtempSync(join(tmpdir(), 'baton-changed-'));
const ledger = join(folder, 'ledger');
let baton: Installation | undefined;

afterAll(async () => {
  await baton?.stop();
  rmSync(folder, { recursive: true });
});

/** The server is updated; processes that have no session of before see it. */
async function change(installation: Installation, how: string, policy = {}): Promise<void> {
  const work = { ...toolsServer(ledger), env: { CHANGED: how }, baton: policy };
  await writeFile(join(installation.folder, 'mcp.json'), JSON.stringify({ mcpServers: { work } }));
  await installation.workers.at(-1)?.kill('SIGTERM');
  await installation.startWorker();
}

const echoes = (): number => readLedger(ledger).filter(({ call }) => call === 'echo').length;

test('[L-153] a tool that changed since its workflow was deployed is not called: the run says what is different', async () => {
  baton = await Installation.start({ servers: { work: toolsServer(ledger) }, workers: 1 });
  await baton.deploy(workflow);
  expect(await baton.ended(await baton.start('says'))).toMatchObject({ status: 'succeeded' });
  expect(echoes()).toBe(1);
  await change(baton, 'required');
  const run = await baton.ended(await baton.start('says'));
  expect(run).toMatchObject({ status: 'failed', error: { code: 'tool-changed' } });
  expect(run.error?.message).toContain('work/echo');
  expect(run.error?.message).toContain('volume');
  expect(echoes()).toBe(0);
});

test('`baton servers approve` shows what changed, and deploys the workflow anew with the tools as they are now', async () => {
  const installation = baton;
  if (installation === undefined) throw new Error('the test before has not started it');
  await change(installation, 'optional', { tools: 'exact' });
  await installation.orchestrators[0]?.kill('SIGTERM');
  await installation.startOrchestrator();
  const key = (await readFile(join(installation.folder, 'admin-key'), 'utf8')).trim();
  const env = { PATH: process.env['PATH'] ?? '', HOME: installation.folder, BATON_API_KEY: key };
  const approve = (...more: string[]): Promise<{ stdout: string; stderr: string }> => {
    const args = [appFile('cli'), 'servers', 'approve', 'work', ...more, '--url', installation.url];
    return promisify(execFile)(process.execPath, args, { env });
  };
  const shown = await approve('--dry-run');
  expect(shown.stdout).toMatch(/^says\n {2}work\/echo: .*volume/);
  const [, digest = ''] = /--digest (\w+)$/m.exec(shown.stderr) ?? [];
  await expect(approve()).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining(`--digest ${digest}`) });
  await expect(approve('--digest', `${digest}0`)).rejects.toMatchObject({
    stderr: expect.stringContaining('Nothing was approved'),
  });
  expect((await installation.api('POST', '/v1/runs', { workflow: 'says' })).status).toBe(409);
  expect((await approve('--digest', digest)).stdout).toContain('says → version 2');
  expect(await installation.ended(await installation.start('says'))).toMatchObject({ status: 'succeeded' });
  expect(echoes()).toBe(1);
});
