/** A client at the gateway makes a call again: real orchestrator, worker, tool server with a ledger, and SDK client. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { RunStarter, type Principal } from '@baton/control';
import type { RunEvent } from '@baton/engine';
import { systemClock, UnavailableError } from '@baton/runner';
import { cachedPlans, openStore, Vault } from '@baton/store';
import {
  type FreshStore,
  freshStore,
  MemoryBell,
  readLedger,
  testSecretKey,
  testSecrets,
  toolsServer,
} from '@baton/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { openTestApp } from '../testing/testApp.ts';
import { startTestWorker } from '../testing/testWorker.ts';
import { SessionRuns } from './sessionRuns.ts';

let store: FreshStore;
let folder: string;

beforeAll(async () => {
  store = await freshStore();
  folder = await mkdtemp(join(tmpdir(), 'baton-repeated-'));
});

afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

/** The store as an orchestrator sees it whose first read of an outcome is not answered. */
function storeThatFailsOnce(): FreshStore {
  let hasFailed = false;
  const isOutcome = ({ type }: RunEvent): boolean => type === 'step.succeeded';
  return {
    ...store,
    journal: {
      open: async (id, after) => {
        const opened = await store.journal.open(id, after);
        if (hasFailed || opened?.events.some(isOutcome) !== true) return opened;
        hasFailed = true;
        throw new UnavailableError('the database cannot be asked now: Query read timeout');
      },
    },
  };
}

test('An agent that makes a write again, as it was told after a failed read, gets the answer of the first', async () => {
  const ledger = join(folder, 'ledger');
  const file = join(folder, 'go-on');
  const servers = { tools: toolsServer(ledger) };
  const vault = new Vault(testSecretKey);
  const app = await openTestApp(storeThatFailsOnce(), store.url, { servers, parts: { vault } });
  onTestFinished(() => app.close());
  const worker = await startTestWorker(store.url, servers);
  onTestFinished(() => worker.stop());
  const key = await app.newKey(['runs:read', 'runs:write']);
  const client = new Client({ name: 'agent', version: '1' });
  const url = new URL(`${await app.listen()}/mcp/gateway?servers=tools`);
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  onTestFinished(() => client.close());
  await client.listTools();
  const call = { name: 'tools__held', arguments: { file } };
  const callsMade = (): number => readLedger(ledger).filter((entry) => entry.call === 'held').length;
  const first = client.callTool(call);
  await expect.poll(callsMade).toBe(1);
  await writeFile(file, '');
  const told = await first;
  expect(JSON.stringify(told)).toContain('then make the same call again');
  const again = await client.callTool(call);
  expect(again).toMatchObject({ content: [{ text: 'let go' }] });
  expect(callsMade()).toBe(1);
});

test('Any orchestrator finds the run after a full one, and from that the full one', async () => {
  const principal: Principal = { id: 'k', name: 'ada', by: 'ada', scopes: new Set(['admin']), workflows: undefined };
  const agent = { name: 'agent', version: '1', protocol: '2026-07-28', capabilities: '' };
  const runsOf = (on: typeof store): SessionRuns => {
    const plans = cachedPlans(on);
    const onBellFailed = (error: unknown): never => {
      throw error;
    };
    const options = { store: on, secrets: testSecrets(on), plans, bell: new MemoryBell(), clock: systemClock };
    const starter = new RunStarter({ ...options, onBellFailed });
    return new SessionRuns({ store: on, journal: on.journal, starter });
  };
  const other = openStore({ url: store.url, secretKey: testSecretKey });
  onTestFinished(() => other.close());
  const [here, there] = [runsOf(store), runsOf({ ...store, ...other })];
  const first = await here.open(principal, 'a', agent);
  const second = await here.open(principal, 'a', agent, first.runId);
  expect(second).toEqual({ runId: expect.not.stringMatching(first.runId) as string, before: first.runId });
  expect(await here.open(principal, 'a', agent)).toEqual(second);
  expect(await there.open(principal, 'a', agent)).toEqual(first);
  expect(await there.open(principal, 'a', agent, first.runId)).toEqual(second);
  await store.pool.query(`update run set status = 'succeeded', ended_at = now() where id = $1`, [first.runId]);
  expect(await here.open(principal, 'a', agent)).toEqual(second);
  expect(await there.open(principal, 'a', agent)).toEqual(second);
});
