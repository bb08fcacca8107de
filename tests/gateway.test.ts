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
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { authoring } from './authoring.ts';
import { callOf, gatewayByHand, resultOf, runOf, textOf } from './gatewayByHand.ts';
import { Installation } from './installation.ts';
import { pause } from './pause.ts';

const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
const folder = mkdtempSync(join(tmpdir(), 'baton-gateway-'));
const ledger = join(folder, 'ledger');
const changing = join(folder, 'changing.json');
const inputSchema = { type: 'object' };

let baton: Installation;

beforeAll(async () => {
  const work = toolsServer(ledger);
  baton = await Installation.start({
    servers: {
      work,
      held: { ...work, baton: { approve: 'write' } },
      every: { command: process.execPath, args: [everything], baton: { elicitation: 'ask', sampling: 'allow' } },
      changing: offeringServer(changing, [{ name: 'first', description: 'As it was.', inputSchema }]),
    },
    env: { BATON_PORT: String(await freePort()) },
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

/** The id of the open question that shows the text. */
async function questionAbout(text: string): Promise<string> {
  for (;;) {
    const { body } = await baton.api('GET', '/v1/questions');
    const found = (body['data'] as { id: string }[]).find((question) => JSON.stringify(question).includes(text));
    if (found !== undefined) return found.id;
    await pause(50);
  }
}

const newKey = async (more: object = {}): Promise<string> => {
  const { body } = await baton.api('POST', '/v1/keys', {
    name: `agent ${Math.random()}`,
    scopes: ['runs:write', 'runs:read'],
    ...more,
  });
  return String(body['key']);
};

describe.each([
  ['before 2026-07-28', 'legacy'],
  ['of 2026-07-28', 'auto'],
] as const)('an agent %s', (_, mode) => {
  const connect = async (query = '', { key, answer }: { key?: string; answer?: object } = {}): Promise<Client> => {
    const capabilities = answer === undefined ? {} : { elicitation: { form: {} } };
    const client = new Client({ name: `agent-${mode}`, version: '1' }, { capabilities, versionNegotiation: { mode } });
    if (answer !== undefined)
      client.setRequestHandler('elicitation/create', async () => answer as { action: 'accept' });
    const requestInit = { headers: { authorization: `Bearer ${key ?? (await newKey())}` } };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${baton.url}/mcp/gateway${query}`), { requestInit }),
    );
    return client;
  };

  test('works with tools of several servers, and all of it is one run', async () => {
    const client = await connect();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['work__echo', 'every__echo', 'work__write']));
    const said = await client.callTool({ name: 'work__echo', arguments: { message: 'one' } });
    expect(said).toMatchObject({ content: [{ type: 'text', text: 'one' }] });
    const sum = await client.callTool({ name: 'every__get-sum', arguments: { a: 2, b: 3 } });
    expect(textOf(sum)).toContain('5');
    const failed = await client.callTool({ name: 'work__fail', arguments: { message: 'no luck' } });
    expect(failed).toMatchObject({ isError: true, content: [{ text: 'no luck' }] });
    expect(new Set([said, sum, failed].map(runOf)).size).toBe(1);
    const run = await baton.run(runOf(said));
    expect(run).toMatchObject({
      workflow: 'session',
      trigger: { kind: 'session', detail: { client: `agent-${mode}` } },
    });
    expect(run.steps.map(({ path, status }) => [path, status])).toEqual([
      ['echo-1', 'succeeded'],
      ['get_sum-2', 'succeeded'],
      ['fail-3', 'failed'],
    ]);
    const verified = await baton.api('POST', '/v1/audit/verify', {});
    expect(verified.body).toMatchObject({ isIntact: true, warnings: [] });
    await client.close();
  });

  test('gets prompts and resources of the servers through the same run', async () => {
    const client = await connect('?servers=every');
    const { prompts } = await client.listPrompts();
    const { resources } = await client.listResources();
    const prompt = await client.getPrompt({
      name: prompts.find(({ arguments: given }) => given?.length === 0)?.name ?? '',
    });
    expect(prompt.messages.length).toBeGreaterThan(0);
    const uri = resources[0]?.uri ?? '';
    expect(uri).toMatch(/^every\+/);
    const read = await client.readResource({ uri });
    expect(read.contents.length).toBeGreaterThan(0);
    expect(runOf(read)).toBe(runOf(prompt));
    await client.close();
  });

  test('is told which server its address misspells, and the nearest one', async () => {
    const client = await connect('?servers=evry');
    for (const ask of [() => client.listTools(), () => client.readResource({ uri: 'every+demo://one' })])
      await expect(ask()).rejects.toMatchObject({ code: -32_602, message: expect.stringMatching(/"evry".*"every"/) });
    await client.close();
  });

  test('with a key that may only read sees and calls what reads, and nothing else', async () => {
    const client = await connect('?servers=work', { key: await newKey({ effects: 'read' }) });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('work__echo');
    expect(tools.map(({ name }) => name)).not.toContain('work__write');
    const before = calls('write');
    const refused = await client.callTool({ name: 'work__write', arguments: {} });
    expect(refused).toMatchObject({ isError: true });
    expect(calls('write')).toBe(before);
    await client.close();
  });

  test('finds tools where they are not listed', async () => {
    const client = await connect('?find=1');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['find_tools', 'call_tool']);
    const found = await client.callTool({ name: 'find_tools', arguments: { query: 'add two numbers sum' } });
    expect(textOf(found)).toContain('every__get-sum');
    const sum = await client.callTool({
      name: 'call_tool',
      arguments: { name: 'every__get-sum', arguments: { a: 2, b: 3 } },
    });
    expect(textOf(sum)).toContain('5');
    expect(runOf(sum)).not.toBe('undefined');
    await client.close();
  });

  test('is asked before a write of a server that is held for a person, where it can be asked', async () => {
    const agreeing = await connect('?servers=held', { answer: { action: 'accept', content: { approve: true } } });
    expect(textOf(await agreeing.callTool({ name: 'held__write', arguments: { message: `${mode} yes` } }))).toBe(
      'written',
    );
    expect(calls('write', `${mode} yes`)).toBe(1);
    const declining = await connect('?servers=held', { answer: { action: 'decline' } });
    const declined = await declining.callTool({ name: 'held__write', arguments: { message: `${mode} no` } });
    expect(declined).toMatchObject({ isError: true });
    expect(textOf(declined)).toContain('said no');
    expect(calls('write', `${mode} no`)).toBe(0);
    await Promise.all([agreeing.close(), declining.close()]);
  });

  test('is asked before a write where its key wants that, not only where the server does, and reads as before', async () => {
    const key = await newKey({ approve: 'write' });
    const client = await connect('?servers=work', { key, answer: { action: 'decline' } });
    const message = `${mode} key`;
    expect(textOf(await client.callTool({ name: 'work__echo', arguments: { message } }))).toBe(message);
    const declined = await client.callTool({ name: 'work__write', arguments: { message } });
    expect(textOf(declined)).toContain('said no');
    expect(calls('write', message)).toBe(0);
    await client.close();
  });

  test('that offers its model is asked by servers, and a model that fails is told to the server', async () => {
    const capabilities = { sampling: {} };
    const client = new Client({ name: `model-${mode}`, version: '1' }, { capabilities, versionNegotiation: { mode } });
    let isBroken = false;
    client.setRequestHandler('sampling/createMessage', async () => {
      if (isBroken) throw new Error('out of tokens');
      return { role: 'assistant', model: 'mine', content: { type: 'text', text: `said by ${mode}` } } as const;
    });
    const requestInit = { headers: { authorization: `Bearer ${await newKey()}` } };
    const url = new URL(`${baton.url}/mcp/gateway?servers=every`);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    const call = { name: 'every__trigger-sampling-request', arguments: { prompt: 'Hi', maxTokens: 9 } };
    const sampled = await client.callTool(call);
    expect(textOf(sampled)).toContain(`said by ${mode}`);
    isBroken = true;
    const broken = await client.callTool(call).then(textOf, (error: Error) => error.message);
    expect(broken).toMatch(mode === 'legacy' ? 'did not answer' : 'out of tokens');
    // A client of 2026-07-28 only stays away: for the server that is the answer after five minutes.
    const { body } = await baton.api('GET', '/v1/questions');
    const open = (body['data'] as { message: string; askedAt: string; expiresAt: string }[]).filter(({ message }) =>
      message.includes(`the model of "model-${mode}"`),
    );
    const standing = open.map(({ askedAt, expiresAt }) => Date.parse(expiresAt) - Date.parse(askedAt) <= 300_000);
    expect(standing).toEqual(mode === 'legacy' ? [] : [true]);
    await client.close();
  });

  test('that cannot be asked waits while a person answers elsewhere, and has the answer of its call', async () => {
    const client = await connect('?servers=held');
    const message = `${mode} elsewhere`;
    const call = client.callTool({ name: 'held__write', arguments: { message } });
    const question = await questionAbout(message);
    expect(calls('write', message)).toBe(0);
    await baton.api('POST', `/v1/questions/${question}/answer`, { answer: { approve: true } });
    expect(textOf(await call)).toBe('written');
    expect(calls('write', message)).toBe(1);
    await client.close();
  });

  test('hears that the tools of a server have changed', async () => {
    const client = await connect('?servers=changing');
    const heard = Promise.withResolvers<void>();
    client.setNotificationHandler('notifications/tools/list_changed', async () => heard.resolve());
    if (mode === 'auto') await client.listen({ toolsListChanged: true });
    await client.listTools();
    await offers(`Heard ${mode}.`);
    expect(await heard.promise).toBeUndefined();
    await offers('As it was.');
    await client.close();
  });

  test('that gives a call up goes on in its session, and the same write later finds the answer', async () => {
    const client = await connect('?servers=work');
    const given = { name: 'work__stubborn', arguments: { message: `${mode} given up`, ms: 1_000 } };
    const leaving = new AbortController();
    const left = client.callTool(given, { signal: leaving.signal });
    await sent('stubborn', `${mode} given up`);
    leaving.abort();
    await expect(left).rejects.toThrow('abort');
    expect(textOf(await client.callTool({ name: 'work__echo', arguments: { message: 'on' } }))).toBe('on');
    const again = await client.callTool(given);
    expect([textOf(again), again._meta]).toMatchObject(['done nevertheless', { 'baton/repeated': true }]);
    expect(calls('stubborn', `${mode} given up`)).toBe(1);
    await client.close();
  });

  test('is told what another may mend, and told of tools that have changed', async () => {
    const client = await connect('?servers=changing,work');
    await client.listTools();
    const misspelt = await client.callTool({ name: 'work__ecko', arguments: {} });
    expect(textOf(misspelt)).toContain('work__echo');
    await offers('Now another.');
    const refused = await client.callTool({ name: 'changing__first', arguments: {} });
    expect(textOf(refused)).toContain('definition has changed');
    await client.listTools();
    const accepted = await client.callTool({ name: 'changing__first', arguments: {} });
    expect(accepted.isError).not.toBe(true);
    await offers('As it was.');
    await client.close();
  });
});

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

test('a hundred agents at once each have their answers and their run, and share the sessions of the server', async () => {
  const key = await newKey();
  const runs = await Promise.all(
    Array.from({ length: 100 }, async (_, n) => {
      const session = await open(key);
      const answers: CallToolResult[] = [];
      for (const part of ['a', 'b']) {
        answers.push(await resultOf(await post(key, callOf('work__echo', { message: `${n}${part}` }), session)));
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

authoring({ baton: () => baton, newKey });
