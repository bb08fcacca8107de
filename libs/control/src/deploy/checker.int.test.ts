import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { readServers } from '@baton/protocol';
import { type FreshStore, appFile, freshStore, offeringServer, TestClock, testSecrets } from '@baton/testing';
import { openServers } from '@baton/transports';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { refusals } from '../installation/refusals.ts';
import { CatalogueCache } from './catalogueCache.ts';
import { Checker } from './checker.ts';
import { deployedWorkflowsFor } from './deployedWorkflows.ts';
import { CheckThreads } from './threads/checkThreads.ts';

const folder = mkdtempSync(join(tmpdir(), 'baton-slow-'));
const permission = join(folder, 'start');
const { command, args } = offeringServer(join(folder, 'tools.json'), [
  { name: 'look', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
]);
const slow = {
  command: 'sh',
  args: ['-c', 'until [ -e "$0" ]; do sleep 0.05; done; exec "$@"', permission, command, ...args],
};
const { config } = readServers(JSON.stringify({ mcpServers: { slow } }));

let store: FreshStore;

beforeAll(async () => {
  store = await freshStore();
});

afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

test('A deployment knows the tools of a server that needs longer to start than a check waits', async () => {
  const asThere = {
    environment: { PATH: process.env['PATH'] },
    secret: async () => undefined,
    root: folder,
    version: 'test',
    handlers: refusals,
  };
  const servers = openServers(config, asThere);
  const threads = new CheckThreads({}, pathToFileURL(appFile('checkThread')));
  onTestFinished(async () => {
    await servers.close();
    await threads.close();
  });
  const clock = new TestClock();
  const checker = new Checker(threads, new CatalogueCache(config, servers, clock), clock);
  const deployed = deployedWorkflowsFor({ store, secrets: testSecrets(store) }, { scopes: new Set(['admin']) });
  const text = 'workflow: w\nsteps:\n  - tool: slow/look\n';

  const checked = checker.checkWithServers(text, deployed);
  const deployable = checker.deployable(text, deployed);
  await expect.poll(() => clock.isAwaited(5_000) && clock.isAwaited(15_000)).toBe(true);
  clock.pass(5_000);
  const { findings } = await checked;
  expect(findings).toEqual([expect.objectContaining({ code: 'assumed' })]);
  writeFileSync(permission, '');
  expect(await deployable).toMatchObject({ findings: [], pins: { 'slow/look': { effect: 'read' } } });
});
