import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createLogger } from '@baton/boot';
import { readServers } from '@baton/protocol';
import { definitionOf, deployWorkflow } from '@baton/store';
import { freshStore, offeringServer, TestClock } from '@baton/testing';
import { openServers } from '@baton/transports';
import { expect, onTestFinished, test } from 'vitest';

import { toolAdmission } from './admission.ts';

test('A run whose tools have changed is not begun, so none of its other calls are made', async () => {
  const store = await freshStore();
  const root = mkdtempSync(join(tmpdir(), 'baton-admission-'));
  const echo = { name: 'echo', inputSchema: { type: 'object' } };
  const entries = { mcpServers: { work: offeringServer(join(root, 'tools.json'), [echo]) } };
  const { config } = readServers(JSON.stringify(entries));
  const servers = openServers(config, { environment: {}, secret: async () => undefined, root, version: 'test' });
  onTestFinished(async () => {
    await servers.close();
    await store.close();
    rmSync(root, { recursive: true });
  });
  const contract = (await servers.catalogue('work')).tools[0]?.digests.contract ?? '';
  const admit = async (pinned: string): Promise<unknown> => {
    const pin = { effect: 'write', from: 'default', contract: pinned, text: 'x' } as const;
    const definition = definitionOf('workflow: w\nsteps: [{ tool: work/echo }]\n', 'yaml', { 'work/echo': pin });
    await deployWorkflow(store, { workflow: 'w', definition, findings: [], by: 'test' });
    const log = createLogger({ level: 'silent', name: 'test' });
    return toolAdmission({ store, servers, config, clock: new TestClock(), log })(definition.digest);
  };
  expect(await admit(contract)).toBeUndefined();
  expect(await admit('another')).toMatchObject({
    code: 'tool-changed',
    message: expect.stringMatching(/work\/echo.* Deploy the workflow again to accept the change\.$/) as string,
  });
});
