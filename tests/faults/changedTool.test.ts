import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { readLedger, toolsServer } from '@baton/testing';
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

test('[L-153] a tool that changed since its workflow was deployed is not called: the run says what is different', async () => {
  const work = toolsServer(ledger);
  baton = await Installation.start({ servers: { work } });
  await baton.deploy(workflow);
  expect(await baton.ended(await baton.start('says'))).toMatchObject({ status: 'succeeded' });

  // The server is updated; a worker that has no session of before sees it.
  await baton.workers[0]?.kill('SIGTERM');
  const changed = { mcpServers: { work: { ...work, env: { CHANGED: '1' } } } };
  await writeFile(join(baton.folder, 'mcp.json'), JSON.stringify(changed));
  await baton.startWorker();
  const run = await baton.ended(await baton.start('says'));
  expect(run).toMatchObject({ status: 'failed', error: { code: 'tool-changed' } });
  expect(run.error?.message).toContain('work/echo');
  expect(run.error?.message).toContain('volume');
  expect(readLedger(ledger).filter(({ call }) => call === 'echo')).toHaveLength(1);
});
