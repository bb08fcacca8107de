/**
 * `/mcp/gateway` seen from outside: real agents, real servers, and processes that are killed in the middle of a call.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from '@baton/boot';
import { offeringServer, readLedger, toolsServer } from '@baton/testing';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { authoring } from './authoring.ts';
import { gatewayAgents } from './gatewayAgents.ts';
import { callOf, gatewayByHand, resultOf, runOf, textOf } from './gatewayByHand.ts';
import { Installation } from './installation.ts';
import { pause } from './pause.ts';

const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
const folder = mkdtempSync(join(tmpdir(), 'baton-gateway-'));
const ledger = join(folder, 'ledger');
const changing = join(folder, 'changing.json');
const swapped = join(folder, 'swapped.json');
const inputSchema = { type: 'object' };

const swappedTool = (description: string) => [{ name: 'send', description, inputSchema }];

/** How the server is asked whether a post happened. */
const posted = {
  tool: 'posted',
  with: { of: '${{ call.arguments.of }}' },
  happened: 'result.output.times > 0',
  output: 'result.output.posts[0]',
};

let baton: Installation;

beforeAll(async () => {
  const work = toolsServer(ledger);
  baton = await Installation.start({
    servers: {
      work,
      held: { ...work, baton: { approve: 'write' } },
      asked: { ...work, baton: { tools: { post: { check: posted } } } },
      every: { command: process.execPath, args: [everything], baton: { elicitation: 'ask', sampling: 'allow' } },
      swapped: { ...offeringServer(swapped, swappedTool('Sends it.')), baton: { approve: 'write' } },
      odd: offeringServer(join(folder, 'odd.json'), [
        { name: 'Create Share', inputSchema: { type: 'object', properties: [] } },
        { name: 'x'.repeat(100), inputSchema: null, annotations: [] },
        { name: 'priced', inputSchema: { oneOf: [{ properties: { price: { maximum: '9223372036854775807' } } }] } },
      ]),
      changing: offeringServer(changing, [{ name: 'first', description: 'As it was.', inputSchema }]),
    },
    workers: 1,
    env: { BATON_PORT: String(await freePort()), BATON_TRUSTED_PROXIES: '127.0.0.1' },
  });
});

afterAll(async () => {
  await baton.stop();
  rmSync(folder, { recursive: true });
});

const calls = (name: string, message?: string): number =>
  readLedger(ledger).filter(
    ({ call, arguments: given }) => call === name && (!message || given?.['message'] === message),
  ).length;

/** What the tool says of itself from now on. */
const offers = async (description: string): Promise<void> => {
  writeFileSync(changing, JSON.stringify([{ name: 'first', description, inputSchema }]));
  await baton.api('POST', '/v1/servers/changing/test');
};

/** Its server reports no change. */
const swap = (description: string): void => writeFileSync(swapped, JSON.stringify(swappedTool(description)));

const newKey = async (more: object = {}): Promise<string> => {
  const { body } = await baton.api('POST', '/v1/keys', {
    name: `agent ${Math.random()}`,
    scopes: ['runs:write', 'runs:read'],
    ...more,
  });
  return String(body['key']);
};

const { post, open } = gatewayByHand(() => baton.url);

const sent = async (name: string, message: string): Promise<void> => {
  while (calls(name, message) === 0) await pause(20);
};

test('a key that is limited to workflows is refused at the gateway', async () => {
  const key = await newKey({ workflows: ['any'] });
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const answer = await fetch(`${baton.url}/mcp/gateway`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  });
  expect(answer.status).toBe(403);
  expect(await answer.text()).toContain('limited to workflows');
});

describe('a call that is sent again', () => {
  test('with the client’s own key is made once, and with that key for something else it is refused', async () => {
    const key = await newKey();
    const session = await open(key);
    const call = (message: string) => callOf('work__write', { message }, { idempotencyKey: 'mine' });
    const first = await resultOf(await post(key, call('keyed'), session));
    const again = await resultOf(await post(key, call('keyed'), session));
    expect([textOf(first), textOf(again)]).toEqual(['written', 'written']);
    expect(again._meta).toMatchObject({ 'baton/repeated': true, 'baton/step': first._meta?.['baton/step'] });
    expect(calls('write', 'keyed')).toBe(1);
    expect(await resultOf(await post(key, call('other'), session))).toMatchObject({ isError: true });
  });

  test('though its answer has arrived is another call', async () => {
    const key = await newKey();
    const session = await open(key);
    const call = () => callOf('work__write', { message: 'twice' });
    await resultOf(await post(key, call(), session));
    await resultOf(await post(key, call(), session));
    expect(calls('write', 'twice')).toBe(2);
  });

  test('because the connection broke finds the answer of the first', async () => {
    const key = await newKey();
    const session = await open(key);
    const given = { message: 'broken off', ms: 1_000 };
    const breaking = new AbortController();
    const first = fetch(`${baton.url}/mcp/gateway`, {
      method: 'POST',
      signal: breaking.signal,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...session,
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...callOf('work__stubborn', given) }),
    }).then((answer) => answer.text());
    await sent('stubborn', 'broken off');
    breaking.abort();
    await expect(first).rejects.toThrow('aborted');
    const again = await resultOf(await post(key, callOf('work__stubborn', given), session));
    expect(textOf(again)).toBe('done nevertheless');
    expect(again._meta).toMatchObject({ 'baton/repeated': true });
    expect(calls('stubborn', 'broken off')).toBe(1);
  });

  test('because the orchestrator was killed finds the answer of the first, in the session as it was', async () => {
    const key = await newKey();
    const session = await open(key);
    const given = { message: 'orchestrator killed', ms: 3_000 };
    const before = await resultOf(await post(key, callOf('work__echo', { message: 'before' }), session));
    const lost = post(key, callOf('work__stubborn', given), session).then((answer) => answer.text());
    await sent('stubborn', 'orchestrator killed');
    const [orchestrator] = baton.orchestrators.splice(0);
    await Promise.all([orchestrator?.kill('SIGKILL'), expect(lost).rejects.toThrow(/terminated|fetch failed/)]);
    await baton.startOrchestrator();
    const again = await resultOf(await post(key, callOf('work__stubborn', given), session));
    expect(textOf(again)).toBe('done nevertheless');
    expect(runOf(again)).toBe(runOf(before));
    expect(calls('stubborn', 'orchestrator killed')).toBe(1);
  });

  test('is not made again where its worker was killed: the agent is told that it may or may not have happened', async () => {
    const key = await newKey();
    const session = await open(key);
    const given = { message: 'worker killed', ms: 60_000 };
    const asked = post(key, callOf('work__stubborn', given), session);
    await sent('stubborn', 'worker killed');
    const [worker] = baton.workers.splice(0);
    await worker?.kill('SIGKILL');
    await baton.startWorker();
    const told = await resultOf(await asked);
    expect(told).toMatchObject({ isError: true });
    expect(textOf(told)).toContain('may or may not have happened');
    expect(calls('stubborn', 'worker killed')).toBe(1);
  });
});

test('a write that two orchestrators receive at the same moment with one key is made once', async () => {
  const key = await newKey();
  const session = await open(key);
  // The second one has not seen the session, and no run of it is on record yet.
  const second = await baton.startOrchestrator({ BATON_PORT: '0' });
  const urls = baton.orchestrators.map(({ ready }) => String(ready['url']));
  for (const message of ['at-once-1', 'at-once-2', 'at-once-3']) {
    const call = callOf('work__write', { message }, { idempotencyKey: message });
    const answers = await Promise.all(urls.map(async (url) => resultOf(await post(key, call, session, url))));
    expect(answers.map(textOf)).toEqual(['written', 'written']);
    expect(new Set(answers.map(({ _meta }) => _meta?.['baton/step'])).size).toBe(1);
    expect(calls('write', message)).toBe(1);
  }
  const last = await resultOf(await post(key, callOf('work__echo', { message: 'last' }), session));
  await endSession(key, session);
  await baton.ended(runOf(last));
  // Both have served the session.
  for (const url of urls) expect((await post(key, { method: 'tools/list' }, session, url)).status).toBe(404);
  await second.kill('SIGTERM');
  baton.orchestrators.pop();
});

const endSession = (key: string, session: Record<string, string>): Promise<Response> =>
  fetch(`${baton.url}/mcp/gateway`, { method: 'DELETE', headers: { authorization: `Bearer ${key}`, ...session } });

/** Makes the call until it is answered: on a loaded machine Postgres is late, and the client is told to try again. */
async function answeredEcho(key: string, message: string, session: Record<string, string>): Promise<CallToolResult> {
  for (;;) {
    const call = callOf('work__echo', { message }, { idempotencyKey: message });
    const result = await resultOf(await post(key, call, session));
    if (!textOf(result).includes('Try again soon.')) return result;
    await pause(1_000);
  }
}

test('a hundred agents at once each have their answers and their run, and share the sessions of the server', async () => {
  const key = await newKey();
  const runs = await Promise.all(
    Array.from({ length: 100 }, async (_, n) => {
      const session = await open(key);
      const answers: CallToolResult[] = [];
      for (const part of ['a', 'b']) {
        answers.push(await answeredEcho(key, `${n}${part}`, session));
      }
      expect(answers.map(textOf)).toEqual([`${n}a`, `${n}b`]);
      expect(new Set(answers.map(runOf)).size).toBe(1);
      return runOf(answers[0] ?? {});
    }),
  );
  expect(new Set(runs).size).toBe(100);
  const isOfThem = /^\d+[ab]$/;
  const served = readLedger(ledger).filter(({ arguments: given }) => isOfThem.test(String(given?.['message'])));
  expect(served).toHaveLength(200);
  // One session of the server for each worker.
  expect(new Set(served.map(({ pid }) => pid)).size).toBeLessThanOrEqual(baton.workers.length);
});

test('a session that its client ends is a run that has succeeded', async () => {
  const key = await newKey();
  const session = await open(key);
  const result = await resultOf(await post(key, callOf('work__echo', { message: 'last' }), session));
  await endSession(key, session);
  expect(await baton.ended(runOf(result))).toMatchObject({ status: 'succeeded' });
});

gatewayAgents({ baton: () => baton, newKey, calls, sent, offers, swap });
authoring({ baton: () => baton, newKey });
