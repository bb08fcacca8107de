/**
 * Goal: calls reach a server no faster than its rate allows, from all processes together; and its `Retry-After` holds
 * for all of them. Method: real processes, and a server in this one that writes down when it was
 * called. A late arrival only makes the bounds easier: a call never arrives before it is allowed.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { soon } from '@baton/testing';
import { expect, inject, onTestFinished, test } from 'vitest';

import { callOf, gatewayByHand, resultOf, textOf } from './gatewayByHand.ts';
import { Installation, type InstallationOptions } from './installation.ts';

interface CountingServer {
  readonly url: string;
  /** When each call came, and its argument. */
  readonly calls: { readonly atMs: number; readonly n: unknown }[];
}

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly arguments?: { readonly n?: unknown } };
}

/** Answers the first `refused` calls with 429, and the others at once. */
async function countingServer(refused = 0, retryAfter = '3'): Promise<CountingServer> {
  const calls: { atMs: number; n: unknown }[] = [];
  const inputSchema = { type: 'object', properties: { n: { type: 'integer' } } };
  const tools = [{ name: 'call', inputSchema }];
  const answer = (response: ServerResponse, { id, method, params }: Message): void => {
    if (id === undefined) return void response.writeHead(202).end();
    const reply = (result: object): void => {
      const body = JSON.stringify({ jsonrpc: '2.0', id, result });
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    };
    if (method === 'initialize') {
      const serverInfo = { name: 'counting', version: '1' };
      return reply({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo });
    }
    if (method !== 'tools/call') return reply(method === 'tools/list' ? { tools } : {});
    calls.push({ atMs: performance.now(), n: params?.arguments?.n });
    if (calls.length <= refused) return void response.writeHead(429, { 'retry-after': retryAfter }).end('later');
    reply({ content: [{ type: 'text', text: 'ok' }] });
  };
  const server = createServer((request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(response, JSON.parse(Buffer.concat(chunks).toString()) as Message));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  server.on('close', () => server.closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, calls };
}

async function installed({ url }: CountingServer, rate: object | undefined, more: Partial<InstallationOptions> = {}) {
  const counting = { type: 'http-plain', url, baton: { ...(rate && { rate }) } };
  const baton = await Installation.start({ servers: { counting }, workers: 2, ...more });
  onTestFinished(() => baton.stop());
  const retry = 'retry: { attempts: 5, delay: 100ms }';
  const inputs = 'inputs: { n: { type: integer } }';
  await baton.deploy(
    `workflow: one\n${inputs}\nsteps:\n  - { id: it, tool: counting/call, with: { n: "\${{ inputs.n }}" }, ${retry} }\n`,
  );
  return baton;
}

const { redisUrl } = inject('services');
const places = [
  ['Redis', redisUrl],
  ['Postgres', undefined],
] as const;

test.each(places.filter(([name, url]) => name === 'Postgres' || url !== undefined))(
  'A hundred runs on two workers, one of which is killed, call a server no faster than its rate, and each once (%s)',
  async (_, url) => {
    const [everyMs, burst, runs] = [50, 4, 100];
    const server = await countingServer();
    const more = url === undefined ? {} : { redisUrl: url };
    const baton = await installed(server, { calls: 20, per: '1s', burst }, more);
    const startedMs = performance.now();
    const ids = await Promise.all(Array.from({ length: runs }, (__, n) => baton.start('one', { n })));
    await soon(() => expect(server.calls.length).toBeGreaterThan(20));
    await baton.workers[0]?.kill('SIGKILL');
    const ended = await Promise.all(ids.map((id) => baton.ended(id)));
    const early = server.calls.filter(({ atMs }, k) => atMs < startedMs + (k + 1 - burst) * everyMs - 1);
    expect(early).toEqual([]);
    expect(new Set(server.calls.map(({ n }) => n)).size).toBe(server.calls.length);
    // A call that was in flight when its worker died may have been made.
    const unknown = ended.filter(({ status }) => status !== 'succeeded');
    expect(unknown.map(({ error }) => error?.code)).toEqual(unknown.map(() => 'outcome-unknown'));
    expect(server.calls.length).toBeGreaterThanOrEqual(runs - unknown.length);
  },
);

test('A run waits for its turn without a worker, over the death of all workers, and can be cancelled meanwhile', async () => {
  const server = await countingServer();
  const baton = await installed(server, { calls: 1, per: '24h' });
  await baton.ended(await baton.start('one', { n: 1 }));
  const [second, third] = [await baton.start('one', { n: 2 }), await baton.start('one', { n: 3 })];
  const waits = async (id: string): Promise<void> => {
    const run = await baton.run(id);
    expect(run).toMatchObject({
      status: 'waiting',
      sentence: expect.stringMatching(/^it waits for its turn at counting/),
    });
    expect(run.steps).toMatchObject([{ status: 'waiting', attempts: [] }]);
  };
  await soon(() => Promise.all([waits(second), waits(third)]));
  const { wakeAt } = await baton.run(third);
  await Promise.all(baton.workers.map((worker) => worker.kill('SIGKILL')));
  await baton.startWorker();
  expect((await baton.api('POST', `/v1/runs/${second}/cancel`)).status).toBeLessThan(300);
  expect((await baton.ended(second)).status).toBe('cancelled');
  await waits(third);
  expect((await baton.run(third)).wakeAt).toBe(wakeAt);
  const list = (await baton.api('GET', '/v1/runs?status=waiting')).body['data'];
  expect(list).toMatchObject([{ id: third, waitsFor: { step: 'it', kind: 'turn', name: 'counting' } }]);
  expect(server.calls).toHaveLength(1);
});

test('What a server says with Retry-After holds for the calls of all processes, also without a rate', async () => {
  const server = await countingServer(1);
  const baton = await installed(server, undefined, redisUrl === undefined ? {} : { redisUrl });
  const first = await baton.start('one', { n: 0 });
  await soon(() => expect(server.calls).toHaveLength(1));
  const refusedMs = server.calls[0]?.atMs ?? 0;
  await soon(async () => expect((await baton.run(first)).status).toBe('waiting'));
  const ids = await Promise.all(Array.from({ length: 20 }, (_, n) => baton.start('one', { n: n + 1 })));
  const ended = await Promise.all([first, ...ids].map((id) => baton.ended(id)));
  expect(ended.map(({ status }) => status)).toEqual(ended.map(() => 'succeeded'));
  expect(server.calls.slice(1).filter(({ atMs }) => atMs < refusedMs + 3_000)).toEqual([]);
});

test('A client of the gateway whose turn is far is told how long to wait, and nothing is sent', async () => {
  const server = await countingServer();
  const baton = await installed(server, { calls: 1, per: '24h' });
  const made = await baton.api('POST', '/v1/keys', { name: 'agent', scopes: ['runs:write', 'runs:read'] });
  const key = String(made.body['key']);
  const { post, open } = gatewayByHand(() => baton.url);
  const session = await open(key);
  const call = async (n: number) => resultOf(await post(key, callOf('counting__call', { n }), session));
  expect(textOf(await call(1))).toBe('ok');
  const refused = await call(2);
  expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringMatching(/Wait 86\d{3} seconds/)]);
  expect(server.calls).toHaveLength(1);
});
