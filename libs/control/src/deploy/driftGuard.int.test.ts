import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { readServers } from '@baton/protocol';
import { definitionOf, deployWorkflow } from '@baton/store';
import { freshStore, offeringServer, TestClock } from '@baton/testing';
import { checkPins, openServers } from '@baton/transports';
import { expect, onTestFinished, test } from 'vitest';

import { refusals } from '../installation/refusals.ts';
import { DriftGuard } from './driftGuard.ts';

const schema = { type: 'object', properties: { message: { type: 'string' } } };
const echo = { name: 'echo', inputSchema: schema };
const needsMore = { ...echo, inputSchema: { ...schema, required: ['message'] } };

test('a start after a pause is judged by the tools of now: it is neither accepted nor refused by an old judgement', async () => {
  const store = await freshStore();
  const folder = mkdtempSync(join(tmpdir(), 'baton-drift-'));
  const file = join(folder, 'tools.json');
  const { config } = readServers(JSON.stringify({ mcpServers: { work: offeringServer(file, [echo]) } }));
  const asThere = { environment: {}, secret: async () => undefined, root: folder, version: 'test', handlers: refusals };
  const servers = openServers(config, asThere);
  onTestFinished(async () => {
    await servers.close();
    await store.close();
    rmSync(folder, { recursive: true });
  });
  /** The server offers something else, and this process has read its list. */
  const offer = async (tool: object): Promise<void> => {
    offeringServer(file, [tool]);
    await servers.catalogue('work', 0);
  };

  await offer(echo);
  const [tool] = (await servers.catalogue('work')).tools;
  const pin = { effect: 'write', from: 'default', contract: tool?.digests.contract ?? '', text: 'x' } as const;
  const text = 'workflow: says\nsteps: [{ tool: work/echo }]\n';
  const definition = definitionOf(text, 'yaml', { 'work/echo': pin });
  await deployWorkflow(store, { workflow: 'says', definition, findings: [], by: 'test' });
  const { digest } = definition;
  expect((await checkPins({ 'work/echo': pin }, servers, config)).blocking).toEqual([]);

  const clock = new TestClock();
  const guard = new DriftGuard({ store, config, servers, clock, onDrift: () => {}, onTrouble: () => {} });
  await guard.check(digest);
  await offer(needsMore);
  expect(guard.check(digest)).toBeUndefined();
  clock.pass(60_000);
  await expect(guard.check(digest)).rejects.toThrow('work/echo');
  await offer(echo);
  clock.pass(60_000);
  await expect(guard.check(digest)).resolves.toBeUndefined();
  // Under load the next judgement is made before this one is too old, and no start waits.
  await offer(needsMore);
  clock.pass(3_000);
  expect(guard.check(digest)).toBeUndefined();
  const start = async (): Promise<void> => guard.check(digest);
  await expect.poll(() => start().then(() => 'accepted', String)).toContain('work/echo');
});
