/** What a key that is limited to effects may set going, whichever way it tries. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { RunEvent } from '@baton/engine';
import { advance, requested } from '@baton/runner';
import { definitionOf, putDefinition } from '@baton/store';
import { type FreshStore, freshStore, toolsServer } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { overMcp } from '../testing/overMcp.ts';
import { type TestApp, openTestApp } from '../testing/testApp.ts';

const folder = mkdtempSync(join(tmpdir(), 'baton-'));
let store: FreshStore;
let app: TestApp;
let reader: string;
let repeater: string;
let writer: string;

const yaml = { 'content-type': 'application/yaml' };
const schedule = 'on: [{ schedule: "0 6 * * *" }, { webhook: shop, secret: SHOP }]\n';

beforeAll(async () => {
  store = await freshStore();
  const tools = { ...toolsServer(join(folder, 'ledger')), baton: { effects: { 'fl*': 'idempotent' } } };
  app = await openTestApp(store, store.url, { servers: { tools } });
  // A check waits for a server five seconds, and on a loaded machine it takes longer to start.
  await app.ask('GET /v1/servers/tools/tools');
  const scopes = ['runs:read', 'runs:write', 'workflows:write', 'questions:answer'] as const;
  [reader, repeater, writer] = (await Promise.all(
    (['read', 'idempotent', 'write'] as const).map((effects) => app.newKey(scopes, { effects })),
  )) as [string, string, string];
});

afterAll(async () => {
  await app.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const reading = '{ tool: tools/echo, with: { message: a } }';
const writing = '{ tool: tools/write }';
const refused = { status: 403, body: { detail: expect.stringContaining('This key may only') as string } };

const startInline = (key: string, rest: string) =>
  app.ask('POST /v1/runs', { key, json: { workflow: `workflow: inline\n${rest}` } });

describe('a key that may only read starts no workflow', () => {
  test.each<[string, string]>([
    ['that writes', `steps: [${writing}]`],
    ['that writes, and says that it reads', 'steps: [{ tool: tools/write, effect: read }]'],
    [
      'that can be repeated, and says that it reads',
      'steps: [{ tool: tools/flaky, effect: read, with: { failures: 1 } }]',
    ],
    ['that reads, and says that it writes', 'steps: [{ tool: tools/echo, effect: write, with: { message: a } }]'],
    ['that writes in an undo', `steps: [{ tool: tools/echo, with: { message: a }, undo: ${writing} }]`],
    ['that writes when it fails', `steps: [${reading}]\nonFailure: [${writing}]`],
    ['that writes at its end', `steps: [${reading}]\nfinally: [${writing}]`],
    [
      'that writes where a step fails',
      `steps: [{ tool: tools/echo, with: { message: a }, onError: [{ steps: [${writing}] }] }]`,
    ],
    ['that writes in a loop', `steps: [{ repeat: { max: 2, steps: [${writing}] } }]`],
    ['that writes for each item', `steps: [{ forEach: [1], steps: [${writing}] }]`],
    ['that writes side by side', `steps: [{ parallel: [${reading}, ${writing}] }]`],
    ['that writes in a case', `steps: [{ switch: [{ when: "true", steps: [${writing}] }] }]`],
    ['that samples from a provider', 'steps: [{ sample: { append: Hello } }]'],
  ])('%s', async (_what, rest) => {
    expect(await startInline(reader, rest)).toMatchObject(refused);
  });

  test('and is told which call is the one', async () => {
    const { body } = await startInline(reader, 'steps: [{ tool: tools/write, effect: read }]');
    expect(body['detail']).toBe(
      'This key may only start workflows that only read; inline does more: tools/write may write.',
    );
  });
});

const startedRun = async (workflow: string): Promise<string> =>
  String((await app.ask(`POST /v1/workflows/${workflow}/runs`, { json: {} })).body['id']);

/** A worker has come to the question. */
function asked(at: number, path: string): readonly RunEvent[] {
  const question = { message: 'Go on?', form: { type: 'object', properties: {} } };
  return [
    { type: 'run.claimed', at, worker: 'w1', claim: 1 },
    { type: 'step.waiting', at, path, verb: 'ask', attempt: 1, awaiting: { for: 'answer', question } },
    { type: 'run.waiting', at },
  ];
}

async function questionOf(runId: string): Promise<string> {
  const { body } = await app.ask('GET /v1/questions');
  return (body['data'] as { id: string; runId: string }[]).find((one) => one.runId === runId)?.id ?? '';
}

test.each<[string, string]>([
  ['reads', `steps: [${reading}]`],
  ['asks the model of its caller', 'steps: [{ sample: { append: Hello, via: caller } }]'],
])('a key that may only read starts what %s', async (_what, rest) => {
  expect((await startInline(reader, rest)).status).toBe(202);
});

test('a key that may do what can be repeated starts that, and nothing that writes or costs', async () => {
  expect((await startInline(repeater, 'steps: [{ tool: tools/flaky, with: { failures: 1 } }]')).status).toBe(202);
  const again =
    'steps: [{ id: a, tool: tools/echo, with: { message: a } }, { tool: tools/flaky, with: { failures: "${{ steps.a.text }}" } }]';
  expect((await startInline(repeater, again)).status).toBe(403);
  expect((await startInline(repeater, 'steps: [{ tool: tools/write, effect: idempotent }]')).status).toBe(403);
  expect((await startInline(repeater, 'steps: [{ sample: { append: Hello } }]')).status).toBe(403);
  expect((await startInline(writer, 'steps: [{ sample: { append: Hello } }]')).status).toBe(202);
});

describe('of a workflow that writes, a key that may only read', () => {
  const text = (name: string, rest: string): string =>
    `workflow: ${name}\n${schedule}steps:\n  - { id: ok, ask: Go on? }\n  - ${writing}\n${rest}`;
  let asking: string;

  beforeAll(async () => {
    await app.deploy(text('asks', ''));
    await app.ask('PUT /v1/secrets/SHOP', { json: { value: 'a secret of the shop and ours' } });
    asking = await newAskingRun('asks');
  });

  async function newAskingRun(workflow: string): Promise<string> {
    const id = await startedRun(workflow);
    await advance(store.journal, id, ({ at }) => asked(at, 'ok'));
    return id;
  }

  test('starts no run', async () => {
    expect(await app.ask('POST /v1/workflows/asks/runs', { key: reader, json: {} })).toMatchObject(refused);
    expect((await app.ask('POST /v1/workflows/asks/runs', { key: writer, json: {} })).status).toBe(202);
  });

  test('delivers to no webhook over MCP', async () => {
    const delivery = { workflow: 'asks', hook: 'shop', body: {} };
    expect(await overMcp(app, reader, 'test_webhook', delivery)).toContain('This key may only');
    expect(await overMcp(app, writer, 'test_webhook', delivery)).not.toContain('isError');
  });

  test('cancels a run, unless that is what writes', async () => {
    expect((await app.ask(`POST /v1/runs/${asking}/cancel`, { key: reader })).status).toBe(202);
    const ask = '{ id: ok, ask: Go on? }';
    await app.deploy(`workflow: undoes\nsteps: [${ask}, { tool: tools/write, undo: ${writing} }]\n`);
    await app.deploy(`workflow: ends\nsteps: [${ask}]\nfinally: [${writing}]\n`);
    await app.deploy(`workflow: tidies\nsteps: [{ id: all, steps: [${ask}], finally: [${writing}] }]\n`);
    await app.deploy('workflow: hands-on\nsteps: [{ id: on, workflow: ends }]\n');
    for (const workflow of ['undoes', 'ends', 'tidies', 'hands-on']) {
      const run = await startedRun(workflow);
      expect(await app.ask(`POST /v1/runs/${run}/cancel`, { key: reader })).toMatchObject(refused);
      expect(await overMcp(app, reader, 'cancel_run', { id: run })).toContain('This key may only');
      const many = await app.ask('POST /v1/runs/cancel', { key: reader, json: { filter: { workflow }, expect: 1 } });
      expect(many.body).toMatchObject({ done: 0, refused: [{ id: run }] });
      expect((await app.ask(`POST /v1/runs/${run}/cancel`, { key: writer })).status).toBe(202);
    }
  });

  // Triggers, workflows of others that call it, and clients with stronger keys would start it.
  test.each([schedule, 'on: [{ tool: {} }]\n', ''])('deploys none, also with %j', async (triggers) => {
    const deploy = (payload: string) => app.ask('POST /v1/workflows', { key: reader, headers: yaml, payload });
    expect(await deploy(`workflow: mine\n${triggers}steps: [${writing}]\n`)).toMatchObject(refused);
    expect((await deploy(`workflow: mine\n${triggers}steps: [${reading}]\n`)).status).toBeLessThan(202);
  });

  test('deploys no version of what a workflow of another key calls', async () => {
    await app.deploy(`workflow: part\nsteps: [${reading}]\n`);
    await app.deploy(`workflow: whole\n${schedule}steps: [{ workflow: part }]\n`);
    const payload = `workflow: part\nsteps: [${writing}]\n`;
    expect(await app.ask('POST /v1/workflows', { key: reader, headers: yaml, payload })).toMatchObject(refused);
    expect((await app.ask('GET /v1/workflows/part')).body['version']).toBe(1);
  });
});

describe('a key that may only read', () => {
  /** A run of `child` that a step of `parent` waits for. */
  async function newChild(parent: string): Promise<string> {
    const { definition = '', version } = (await store.findVersion({ workflow: 'child' })) ?? {};
    const of = { runId: await startedRun(parent), path: 'it', attempt: 1 };
    const order = { workflow: 'child', version, definition, inputs: {}, by: 'ada', parent: of };
    const { runId } = await store.request(requested({ ...order, trigger: { kind: 'workflow' } }, Date.now()));
    await advance(store.journal, runId, ({ at }) => asked(at, 'ok'));
    return runId;
  }

  test('does nothing to a run that only reads, where one that writes waits for it', async () => {
    await app.deploy('workflow: child\nsteps: [{ id: ok, ask: Go on? }]\n');
    await app.deploy(`workflow: parent\nsteps: [{ id: it, workflow: child }, ${writing}]\n`);
    const child = await newChild('parent');
    const question = await questionOf(child);
    const ways: readonly (readonly [string, object?])[] = [
      [`POST /v1/runs/${child}/signals/go`, {}],
      [`POST /v1/questions/${question}/answer`, { answer: {} }],
      [`POST /v1/runs/${child}/cancel`, {}],
    ];
    for (const [what, json] of ways) {
      const answer = await app.ask(what, { key: reader, json });
      expect(answer).toMatchObject(refused);
      expect(answer.text).not.toContain('tools/write');
    }
    expect(await overMcp(app, reader, 'answer_question', { id: question, answer: {} })).toContain('This key may only');
    expect((await app.ask(`POST /v1/questions/${question}/answer`, { key: writer, json: { answer: {} } })).status).toBe(
      200,
    );
  });

  test('agrees to no write of a session at the gateway', async () => {
    const definition = definitionOf('workflow: session\nsteps: [{ set: {} }]\n', 'yaml', {});
    await putDefinition(store, definition);
    const order = { workflow: 'session', definition: definition.digest, inputs: {}, by: 'ada' };
    const { runId } = await store.request(requested({ ...order, trigger: { kind: 'session' } }, Date.now()));
    const target = {
      verb: 'tool',
      server: 'tools',
      tool: 'write',
      effect: { effect: 'write', from: 'default' },
      contract: '',
    } as const;
    const call = { path: 'write-1', target, arguments: { json: {} }, by: 'ada', digest: '', approval: 'May it?' };
    await advance(store.journal, runId, ({ at }) => [{ type: 'call.requested', at, ...call }]);
    await advance(store.journal, runId, ({ at }) => asked(at, 'write-1.approval'));
    const answer = (key: string) =>
      questionOf(runId).then((id) => app.ask(`POST /v1/questions/${id}/answer`, { key, json: { answer: {} } }));
    for (const key of [reader, repeater]) expect((await answer(key)).status).toBe(403);
    expect((await answer(writer)).status).toBe(200);
  });
});
