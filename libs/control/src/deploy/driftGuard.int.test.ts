import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { readServers } from '@baton/protocol';
import { definitionOf, deployWorkflow } from '@baton/store';
import { freshStore, offeringServer, TestClock } from '@baton/testing';
import { checkPins, openServers } from '@baton/transports';
import { expect, onTestFinished, test } from 'vitest';

import { refusals } from '../installation/refusals.ts';
import { DriftGuard, ToolsChanged } from './driftGuard.ts';
import type { ProofAnswer } from './repinner.ts';

const schema = { type: 'object', properties: { message: { type: 'string' } } };
const echo = { name: 'echo', inputSchema: schema };
const needsMore = { ...echo, inputSchema: { ...schema, required: ['message'] } };

/** A workflow that is deployed with the tool as it is now. */
async function setUp() {
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
  expect((await checkPins({ 'work/echo': pin }, servers, config)).blocking).toEqual([]);
  const clock = new TestClock();
  const parts = { store, config, servers, clock, onDrift: () => {}, onTrouble: () => {} };
  return { parts, clock, offer, digest: definition.digest };
}

test('a start after a pause is judged by the tools of now: it is neither accepted nor refused by an old judgement', async () => {
  const { parts, clock, offer, digest } = await setUp();
  const guard = new DriftGuard(parts);
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

test('Starts during a proof wait for it, and learn what it found: no start begins another one.', async () => {
  const { parts, clock, offer, digest } = await setUp();
  await offer(needsMore);
  const { promise, resolve } = Promise.withResolvers<ProofAnswer>();
  let proofs = 0;
  const prove = (): Promise<ProofAnswer> => {
    proofs += 1;
    return promise;
  };
  const refusal = async (guard: DriftGuard): Promise<string> => {
    const refused = await Promise.resolve(guard.check(digest)).catch((error: unknown) => error);
    return refused instanceof ToolsChanged ? refused.message : 'not refused';
  };
  const guard = new DriftGuard({ ...parts, prove });
  const first = refusal(guard);
  await expect.poll(() => proofs).toBe(1);
  clock.pass(3_000);
  const second = refusal(guard);
  // A judgement that the second start began would have ended by the end of these.
  for (let n = 1; n <= 3; n += 1) expect(await refusal(new DriftGuard(parts))).toContain('work/echo');
  resolve({ isPinnedAnew: false, why: ['It needs a message.'] });
  for (const refused of await Promise.all([first, second])) expect(refused).toContain('It needs a message.');
  expect(proofs).toBe(1);
});
