/** Calls of servers that are late or away: real orchestrator, worker, stdio servers and SDK client. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Vault } from '@baton/store';
import { type FreshStore, freshStore, offeringServer, soon, testSecretKey } from '@baton/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { type TestApp, openTestApp } from '../testing/testApp.ts';
import { type TestWorker, startTestWorker } from '../testing/testWorker.ts';

let folder: string;
let store: FreshStore;
let app: TestApp;
let worker: TestWorker;
let url: string;

/** The file whose presence lets the server start. */
const gateOf = (server: string): string => join(folder, `${server}.gate`);

/** Says nothing, not even to `initialize`, before its gate is there. */
function lateServer(name: string): object {
  const { command, args } = offeringServer(join(folder, `${name}.json`), [
    { name: 'send', inputSchema: { type: 'object' } },
  ]);
  const program =
    'const gate = process.argv.splice(1, 1)[0];' +
    'const look = setInterval(() => { if (!fs.existsSync(gate)) return; clearInterval(look); import(process.argv[1]); }, 20);';
  return { command, args: ['-e', program, gateOf(name), ...args] };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'baton-late-'));
  store = await freshStore();
  const broken = { command: process.execPath, args: ['-e', 'process.exit(3)'] };
  const servers = { late: lateServer('late'), left: lateServer('left'), broken };
  app = await openTestApp(store, store.url, { servers, parts: { vault: new Vault(testSecretKey) } });
  worker = await startTestWorker(store.url, servers);
  url = `${await app.listen()}/mcp/gateway`;
});

afterAll(async () => {
  await worker.stop();
  await app.close();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

async function agentOf(server: string): Promise<Client> {
  const client = new Client({ name: 'agent', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${await app.newKey(['runs:read', 'runs:write'])}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}?servers=${server}`), { requestInit }));
  return client;
}

const sessionRuns = async (): Promise<readonly { id: string; workflow: string }[]> =>
  (await app.ask('GET /v1/runs')).body['data'] as { id: string; workflow: string }[];

test('A call waits for a server that starts, also where it is too late for the list of tools', async () => {
  const agent = await agentOf('late');
  const call = agent.callTool({ name: 'late__send', arguments: {} });
  expect((await agent.listTools()).tools).toEqual([]);
  await writeFile(gateOf('late'), '');
  expect((await call).content).toEqual([{ type: 'text', text: 'done by send' }]);
  await agent.close();
});

test('A call that is refused because its server does not start is a failed step of its session', async () => {
  const agent = await agentOf('broken');
  const { content, isError, _meta } = await agent.callTool({ name: 'broken__send', arguments: { to: 'ada' } });
  expect({ content, isError }).toMatchObject({
    isError: true,
    content: [
      { text: expect.stringMatching(/^The server broken cannot be asked\..*the same call may be made again/s) },
    ],
  });
  const { text } = await app.ask(`GET /v1/runs/${String(_meta?.['baton/run'])}/events`);
  expect(text).toContain('"to":"ada"');
  expect(text).toContain('"step.failed"');
  await agent.close();
});

test('A call whose client leaves while the server starts is not made later, and its session says so', async () => {
  const agent = await agentOf('left');
  const leaving = new AbortController();
  const call = agent.callTool({ name: 'left__send', arguments: {} }, { signal: leaving.signal });
  await soon(async () => expect((await app.ask('GET /v1/servers/left')).body).toMatchObject({ state: 'opening' }));
  const known = new Set((await sessionRuns()).map(({ id }) => id));
  leaving.abort();
  await expect(call).rejects.toThrow('abort');
  const [run] = await soon(async () => {
    const runs = (await sessionRuns()).filter(({ id }) => !known.has(id));
    expect(runs).toHaveLength(1);
    return runs;
  });
  await soon(async () => {
    const { text } = await app.ask(`GET /v1/runs/${String(run?.id)}/events`);
    expect(text).toContain('The client stopped waiting for it.');
  });
  await writeFile(gateOf('left'), '');
  const again = await agent.callTool({ name: 'left__send', arguments: {} });
  expect(again.content).toEqual([{ type: 'text', text: 'done by send' }]);
  expect(again._meta?.['baton/repeated']).toBeUndefined();
  await agent.close();
});
