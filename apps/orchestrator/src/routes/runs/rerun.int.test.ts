import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { definitionOf, putDefinition, readPage } from '@baton/store';
import { type FreshStore, freshStore, readLedger, toolsServer, verifyChain } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { overMcp } from '../../testing/overMcp.ts';
import { type TestAnswer, type TestApp, openTestApp } from '../../testing/testApp.ts';
import { openStream } from '../../testing/testStream.ts';
import { type TestWorker, startTestWorker } from '../../testing/testWorker.ts';

let folder: string;
let store: FreshStore;
let app: TestApp;
let worker: TestWorker;
let url: string;
let key: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'baton-rerun-'));
  store = await freshStore();
  const servers = { tools: { ...toolsServer(join(folder, 'ledger')) } };
  app = await openTestApp(store, store.url, { servers });
  url = await app.listen();
  key = await app.newKey(['runs:read']);
  worker = await startTestWorker(store.url, servers);
});

afterAll(async () => {
  await worker.stop();
  await app.close();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const calls = (message: string): number =>
  readLedger(join(folder, 'ledger')).filter((entry) => JSON.stringify(entry).includes(`"${message}"`)).length;

const workflow = (name: string): string => `
workflow: ${name}
inputs: { end: { type: string } }
steps:
  - { id: first, tool: tools/echo, effect: write, with: { message: ${name}-first } }
  - { id: second, tool: tools/echo, with: { message: "${name}-second" } }
  - switch:
      - when: inputs.end == "bad"
        steps:
          - { fail: it is bad, id: stop }
outputs: { said: "\${{ steps.first.text }} \${{ inputs.end }}" }
`;

const start = (name: string, end: string): Promise<TestAnswer> =>
  app.ask('POST /v1/runs', { json: { workflow: workflow(name), inputs: { end } }, headers: { prefer: 'wait=60' } });

/** The stream of its events ends when the run does. */
async function ended(id: unknown): Promise<TestAnswer['body']> {
  const stream = await openStream(`${url}/v1/runs/${String(id)}/events`, { key });
  await stream.rest();
  return (await app.ask(`GET /v1/runs/${String(id)}`)).body;
}

/** Answers the question of the run when it is there. */
async function answerOnce(run: unknown, before = (): void => {}): Promise<void> {
  const stream = await openStream(`${url}/v1/runs/${String(run)}/events`, { key });
  for (let isAsked = false; !isAsked;) isAsked = (await stream.next())?.data['type'] === 'step.waiting';
  stream.leave();
  before();
  const { data } = (await app.ask('GET /v1/questions')).body as { data: { id: string; runId: string }[] };
  const question = data.find(({ runId }) => runId === run);
  expect((await app.ask(`POST /v1/questions/${question?.id}/answer`, { json: { answer: { yes: true } } })).status).toBe(
    200,
  );
}

const again = (path: string, outcome: string, effect: string) => ({
  path,
  verb: 'tool',
  target: 'tools/echo',
  effect,
  outcome,
});

describe('a finished run', () => {
  test('is retried without doing again what went well', async () => {
    const failed = await start('retried', 'bad');
    expect(failed.body['status']).toBe('failed');
    const id = failed.body['id'] as string;
    const retried = await app.ask(`POST /v1/runs/${id}/retry`);
    expect(retried).toMatchObject({ status: 202, body: { rerunOf: id, kept: 2, again: [] } });
    const run = await ended(retried.body['id']);
    expect(run).toMatchObject({ status: 'failed', rerunOf: id, trigger: { kind: 'retry', detail: { run: id } } });
    expect([calls('retried-first'), calls('retried-second')]).toEqual([1, 1]);
    const { events } = await readPage(store, run['id'] as string, { limit: 100 });
    expect(
      verifyChain(
        events.map(({ seq, event, ...rest }) => ({
          ...rest,
          runId: run['id'] as string,
          seq,
          at: event.at,
          type: event.type,
        })),
      ),
    ).toMatchObject({ isIntact: true });
  });

  test('is done again from a step on, with other inputs, and says which calls that repeats', async () => {
    const done = await start('rerun', 'bad');
    const id = done.body['id'] as string;
    const json = { from: 'second', inputs: { end: 'good' } };
    const preview = await app.ask(`POST /v1/runs/${id}/rerun`, { json: { ...json, preview: true } });
    expect(preview).toMatchObject({ status: 200, body: { kept: 1, again: [again('second', 'succeeded', 'read')] } });
    expect(preview.body['id']).toBeUndefined();
    const headers = { 'idempotency-key': 'once' };
    const rerun = await app.ask(`POST /v1/runs/${id}/rerun`, { json, headers });
    expect(rerun.status).toBe(202);
    expect((await app.ask(`POST /v1/runs/${id}/rerun`, { json, headers })).body['id']).toBe(rerun.body['id']);
    const run = await ended(rerun.body['id']);
    expect(run).toMatchObject({ status: 'succeeded', outputs: { said: 'rerun-first good' }, rerunOf: id });
    expect([calls('rerun-first'), calls('rerun-second')]).toEqual([1, 2]);
  });

  test('asks again where a person agreed to other inputs, or approves what the key writes', async () => {
    const text = `workflow: agreed
inputs: { to: { type: string } }
steps:
  - { id: sure, ask: "Send?", form: { yes: { type: boolean } } }
  - { id: sent, tool: tools/echo, effect: write, with: { message: "agreed-\${{ inputs.to }}" } }
`;
    expect((await app.deploy(text)).status).toBe(201);
    const { id } = (await app.ask('POST /v1/workflows/agreed/runs', { json: { inputs: { to: 'alice' } } })).body;
    await answerOnce(id);
    expect(await ended(id)).toMatchObject({ status: 'succeeded' });
    const approved = await app.newKey(['runs:read', 'runs:write'], { approve: 'write' });
    const again = async (json: object, by?: string): Promise<unknown> =>
      (
        await app.ask(`POST /v1/runs/${String(id)}/rerun`, {
          json: { from: 'sent', preview: true, ...json },
          ...(by && { key: by }),
        })
      ).body['kept'];
    expect(await again({})).toBe(1);
    expect(await again({ inputs: { to: 'alice' } })).toBe(1);
    expect(await again({ inputs: { to: 'mallory' } })).toBe(0);
    expect(await again({ inputs: { to: 'mallory' }, version: 'latest' })).toBe(0);
    expect(await again({}, approved)).toBe(0);
    const other = await app.ask(`POST /v1/runs/${String(id)}/rerun`, {
      json: { from: 'sent', inputs: { to: 'mallory' } },
    });
    await answerOnce(other.body['id'], () => expect(calls('agreed-mallory')).toBe(0));
    expect(await ended(other.body['id'])).toMatchObject({ status: 'succeeded' });
  });

  test('that is an item takes no other inputs than those that a person agreed to', async () => {
    const text = `workflow: spread
inputs: { to: { type: string } }
steps:
  - { id: sure, ask: "Send to all?", form: { yes: { type: boolean } } }
  - id: all
    forEach: [1]
    as: n
    distribute: true
    steps: [{ id: sent, tool: tools/echo, effect: write, with: { message: "spread-\${{ inputs.to }}" } }]
`;
    expect((await app.deploy(text)).status).toBe(201);
    const { id } = (await app.ask('POST /v1/workflows/spread/runs', { json: { inputs: { to: 'alice' } } })).body;
    await answerOnce(id);
    expect(await ended(id)).toMatchObject({ status: 'succeeded' });
    const { data } = (await app.ask('GET /v1/runs?workflow=spread')).body as { data: { id: string }[] };
    const item = data.find((run) => run.id !== id)?.id;
    const again = (json: object, by?: string): Promise<TestAnswer> =>
      app.ask(`POST /v1/runs/${item}/rerun`, { json, ...(by && { key: by }) });
    const refused = {
      status: 409,
      body: { detail: expect.stringContaining(`Rerun that one, ${String(id)}.`) as string },
    };
    expect(await again({ inputs: { to: 'mallory' } })).toMatchObject(refused);
    expect(await again({}, await app.newKey(['runs:write'], { approve: 'write' }))).toMatchObject(refused);
    expect((await again({ inputs: { to: 'alice' }, preview: true })).status).toBe(200);
    expect(calls('spread-mallory')).toBe(0);
  });

  test('is done again from the beginning where no step is named', async () => {
    const done = await start('whole', 'good');
    const id = done.body['id'] as string;
    const rerun = await app.ask(`POST /v1/runs/${id}/rerun`);
    expect(rerun.body).toMatchObject({
      kept: 0,
      again: [again('first', 'succeeded', 'write'), again('second', 'succeeded', 'read')],
    });
    expect(await ended(rerun.body['id'])).toMatchObject({ status: 'succeeded' });
    expect(calls('whole-first')).toBe(2);
  });

  test('[15.2] is gone on with in a mended version: what agrees is kept, what is gone is named', async () => {
    const text = (second: string, more = ''): string => `
workflow: mended
steps:
  - { id: first, tool: tools/echo, effect: write, with: { message: mended-first } }
  - { id: second, tool: tools/echo, effect: write, with: { message: ${second} } }
  - { id: stop, fail: it is bad, if: "${more === ''}" }
${more}outputs: { said: "\${{ steps.second.text }}" }
`;
    expect(await app.deploy(text('mended-second'))).toMatchObject({ status: 201, body: { version: 1 } });
    const failed = await app.ask('POST /v1/workflows/mended/runs', { json: {}, headers: { prefer: 'wait=60' } });
    const id = failed.body['id'] as string;
    expect(failed.body['status']).toBe('failed');
    await app.deploy(text('mended-other', '  - { id: third, tool: tools/echo, with: { message: mended-third } }\n'));

    const stays = await app.ask(`POST /v1/runs/${id}/retry`, { json: { preview: true } });
    expect(stays.body).toMatchObject({ version: 1, newerVersion: 2, kept: 2, unmatched: [], again: [] });
    const preview = { json: { version: 'latest', preview: true } };
    const said = await app.ask(`POST /v1/runs/${id}/rerun`, preview);
    expect(said).toMatchObject({
      status: 200,
      body: { version: 2, kept: 1, unmatched: [], again: [again('second', 'succeeded', 'write')] },
    });
    expect(said.body['newerVersion']).toBeUndefined();
    const gone = await app.ask(`POST /v1/runs/${id}/rerun`, { json: { version: 3 } });
    expect(gone).toMatchObject({ status: 422, body: { errors: [{ pointer: '/version', code: 'unknown-version' }] } });

    const agent = await app.newKey(['runs:read', 'runs:write']);
    for (const tool of ['retry_run', 'rerun_run']) {
      const told = await overMcp(app, agent, tool, { id, version: 'latest', preview: true });
      expect(told).toMatch(/\\"version\\":2,.*\\"kept\\":1/);
      expect(told).toMatch(/\\"path\\":\\"second\\".*\\"effect\\":\\"write\\",\\"outcome\\":\\"succeeded\\"/);
      expect(await overMcp(app, agent, tool, { id, preview: true })).toMatch(/\\"newerVersion\\":2/);
      expect(await overMcp(app, agent, tool, { id, version: 3 })).toContain('has no version 3');
    }

    const retried = await app.ask(`POST /v1/runs/${id}/retry`, { json: { version: 2 } });
    expect(retried.status).toBe(202);
    const run = await ended(retried.body['id']);
    expect(run).toMatchObject({ status: 'succeeded', version: 2, rerunOf: id, outputs: { said: 'mended-other' } });
    expect(['first', 'second', 'other', 'third'].map((name) => calls(`mended-${name}`))).toEqual([1, 1, 1, 1]);
  });

  test('is left alone where that makes no sense', async () => {
    const done = await start('fine', 'good');
    const id = done.body['id'] as string;
    expect((await app.ask(`POST /v1/runs/${id}/retry`)).status).toBe(409);
    const wrong = await app.ask(`POST /v1/runs/${id}/rerun`, { json: { from: 'secnd' } });
    expect(wrong).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/from', hint: 'did you mean "second"?' }] },
    });
    expect((await app.ask(`POST /v1/runs/${id}/rerun`, { json: { inputs: { end: 7 } } })).status).toBe(422);
    const unknown = await app.ask(`POST /v1/runs/${id}/rerun`, { json: { version: 'newest' } });
    const message = '"version" must be the number of a version, or "latest", and is "newest".';
    expect(unknown).toMatchObject({ status: 422, body: { errors: [{ pointer: '/version', message }] } });
    expect((await app.ask('POST /v1/runs/nothing/retry')).status).toBe(404);
    const reads = await app.newKey(['runs:write'], { effects: 'read' });
    expect((await app.ask(`POST /v1/runs/${id}/rerun`, { key: reads })).status).toBe(403);
    const waiting = await app.ask('POST /v1/runs', { json: { workflow: 'workflow: w\nsteps: [{ wait: 1h }]\n' } });
    expect((await app.ask(`POST /v1/runs/${waiting.body['id'] as string}/rerun`)).status).toBe(409);
  });
});

describe('a run that started others', () => {
  const part = `workflow: branch
inputs: { who: { type: string } }
steps:
  - { id: sent, tool: tools/echo, effect: write, with: { message: "\${{ inputs.who }}" } }
  - { id: check, tool: tools/flaky, with: { failures: "\${{ inputs.who.endsWith('bad') ? 2 : 0 }}" } }
`;

  test('A run that started others is retried inside those that failed, and repeats no write of theirs', async () => {
    expect((await app.deploy(part)).status).toBe(201);
    const large = 'x'.repeat(100_000);
    const text = `workflow: trunk
steps:
  - parallel:
      - { id: good, workflow: branch, with: { who: trunk-good } }
      - { id: bad, needs: [good], workflow: branch, with: { who: trunk-bad } }
  - id: each
    forEach: [one, two]
    maxParallel: 1
    distribute: true
    steps:
      - { id: note, set: { text: ${large} } }
      - { id: sent, tool: tools/echo, effect: write, with: { message: "trunk-\${{ item }}" } }
      - { id: stop, if: item == 'two', tool: tools/flaky, with: { failures: 4 } }
`;
    expect((await app.deploy(text)).status).toBe(201);
    const failed = await app.ask('POST /v1/workflows/trunk/runs', { json: {}, headers: { prefer: 'wait=60' } });
    expect(failed.body).toMatchObject({ status: 'failed' });
    const id = String(failed.body['id']);
    const before = [calls('trunk-good'), calls('trunk-bad'), calls('trunk-one')];
    const check = { path: 'bad>check', target: 'tools/flaky', effect: 'write', outcome: 'failed' };
    const preview = await app.ask(`POST /v1/runs/${id}/retry`, { json: { preview: true } });
    expect(preview.body).toMatchObject({ kept: 2, again: [check] });
    const agent = await app.newKey(['runs:read', 'runs:write']);
    const overTool = (runId: string): Promise<string> => overMcp(app, agent, 'retry_run', { id: runId, preview: true });
    expect(await overTool(id)).toMatch(/\\"again\\":\[\{\\"path\\":\\"bad>check\\".*\\"effect\\":\\"write\\"/);
    // The child run that failed is not retried by itself, too: the retry of its parent goes on from it.
    const filter = { from: failed.body['createdAt'], status: ['failed'] };
    const previews = await app.ask('POST /v1/runs/retry', { json: { filter, preview: true } });
    expect(previews.body).toEqual({ count: 2, writes: 1 });
    const many = await app.ask('POST /v1/runs/retry', { json: { filter, expect: 2 } });
    expect(many.body).toMatchObject({
      done: 1,
      refused: [{ code: 'conflict', detail: `The retry of ${id}, which started it, goes on from it.` }],
    });
    const { data } = (await app.ask('GET /v1/runs?workflow=trunk')).body as { data: { id: string }[] };
    const second = await ended(data[0]?.id);
    expect(second).toMatchObject({ status: 'failed', error: { step: 'each/1/stop' } });
    expect([calls('trunk-good'), calls('trunk-bad')]).toEqual(before.slice(0, 2));
    // The items of the second run are gone on with, too.
    const next = await app.ask(`POST /v1/runs/${String(second['id'])}/retry`, { json: { preview: true } });
    expect(next.body).toMatchObject({ again: [{ path: 'each/1/run>stop', target: 'tools/flaky' }] });
    expect(await overTool(String(second['id']))).toContain('\\"path\\":\\"each/1/run>stop\\"');
    // The cause is that of the item, and the run above it is what is retried.
    const newest = async (query: string): Promise<string> =>
      ((await app.ask(`GET /v1/runs?limit=1&${query}`)).body['data'] as { id: string }[])[0]?.id ?? '';
    const like = await newest(`parent=${String(second['id'])}&status=failed`);
    expect((await app.ask('POST /v1/runs/retry', { json: { filter: { like }, expect: 1 } })).body).toMatchObject({
      done: 1,
    });
    const third = await newest('workflow=trunk&parent=none');
    expect(await ended(third)).toMatchObject({ rerunOf: second['id'] });
    expect([calls('trunk-bad'), calls('trunk-one'), calls('trunk-two')]).toEqual([1, 1, 1]);
    const whole = await app.ask(`POST /v1/runs/${third}/rerun`, { json: { preview: true } });
    const again = whole.body['again'] as { path: string; target: string }[];
    const sent = again.filter(({ target }) => target === 'tools/echo');
    expect(sent.map(({ path }) => path).toSorted()).toEqual([
      'bad>sent',
      'each/0/run>sent',
      'each/1/run>sent',
      'good>sent',
    ]);
  });
});

test('A run is not retried while its retry goes on, nor again with many runs', async () => {
  const failures = readLedger(join(folder, 'ledger')).filter(({ call }) => call === 'flaky').length + 1;
  const text = `workflow: once
steps:
  - { id: check, tool: tools/flaky, with: { failures: ${failures} } }
  - { id: sent, tool: tools/echo, effect: write, with: { message: once-sent } }
  - { id: sure, ask: "Sure?", form: { yes: { type: boolean } } }
`;
  expect((await app.deploy(text)).status).toBe(201);
  const failed = await app.ask('POST /v1/workflows/once/runs', { json: {}, headers: { prefer: 'wait=60' } });
  expect(failed.body).toMatchObject({ status: 'failed' });
  const path = `POST /v1/runs/${String(failed.body['id'])}/retry` as const;
  const headers = { 'idempotency-key': 'goes-on' };
  const second = await app.ask(path, { headers });
  expect(second.status).toBe(202);
  const third = await app.ask(path);
  expect(third).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining(`${String(second.body['id'])} goes on`) as string },
  });
  expect((await app.ask(path, { headers })).body).toMatchObject({ id: second.body['id'] });
  await answerOnce(second.body['id']);
  await ended(second.body['id']);
  const filter = { workflow: 'once', status: ['failed'] };
  const many = await app.ask('POST /v1/runs/retry', { json: { filter, expect: 1 } });
  expect(many).toMatchObject({ status: 409, body: { detail: expect.stringMatching(/^0 runs fit/) as string } });
  const preview = await app.ask(path, { json: { preview: true } });
  expect(preview.body).toMatchObject({ again: [{ path: 'check' }, { path: 'sent', outcome: 'succeeded' }] });
});

test('Retries at the same moment make one run, which the old run names; a later one is made only by a caller who knows of it', async () => {
  const failed = await start('pressed', 'bad');
  const path = `POST /v1/runs/${String(failed.body['id'])}/retry` as const;
  const pressed = await Promise.all(Array.from({ length: 6 }, () => app.ask(path, { json: { retriedAs: null } })));
  expect(pressed.map(({ status }) => status)).toEqual(pressed.map(() => 202));
  const [id, ...others] = new Set(pressed.map(({ body }) => body['id']));
  expect(others).toEqual([]);
  await ended(id);
  expect((await app.ask(path, { json: { retriedAs: null } })).body).toMatchObject({ id });
  expect((await app.ask(`GET /v1/runs/${String(failed.body['id'])}`)).body).toMatchObject({ retriedAs: id });
  const { body: listed } = await app.ask('GET /v1/runs?workflow=pressed');
  expect(listed).toMatchObject({ data: [{ id, rerunOf: failed.body['id'] }, { retriedAs: id }] });
  expect((await app.ask(path, { json: { preview: true } })).body).toMatchObject({ retriedAs: id });
  const more = await app.ask(path, { json: { retriedAs: id } });
  expect(more.status).toBe(202);
  expect(more.body['id']).not.toBe(id);
  await ended(more.body['id']);
  expect(calls('pressed-first')).toBe(1);
});

test('A retry of many runs that is repeated with its key finds the runs that it made', async () => {
  for (const end of ['bad', 'bad']) await start('twice', end);
  const ask = (filter: object): Promise<TestAnswer> =>
    app.ask('POST /v1/runs/retry', { json: { filter, expect: 2 }, headers: { 'idempotency-key': 'twice' } });
  expect((await ask({ workflow: 'twice' })).body).toMatchObject({ count: 2, done: 2 });
  const made = (await app.ask('GET /v1/runs?workflow=twice&trigger=retry')).body['data'] as Record<string, unknown>[];
  for (const { id } of made) await ended(id);
  // The new runs have failed as well.
  expect((await ask({ workflow: 'twice', to: made[1]?.['createdAt'] })).body).toMatchObject({ done: 2, refused: [] });
  expect((await app.ask('GET /v1/runs?workflow=twice')).body['data']).toHaveLength(4);
});

describe('an expression', () => {
  test('is tried on the values of a run, where one of its steps stands', async () => {
    const { body: run } = await start('tried', 'good');
    const path = `/v1/runs/${String(run['id'])}/evaluate`;
    const tried = (json: object) => app.ask(`POST ${path}`, { json });
    expect(await tried({ expression: 'steps.first.text + inputs.end' })).toMatchObject({
      status: 200,
      body: { value: 'tried-firstgood' },
    });
    const early = { step: 'first', expression: 'steps.second.text' };
    expect(await tried(early)).toMatchObject({ status: 422, body: { detail: expect.stringContaining('second') } });
    const misspelt = await tried({ step: 'frist', expression: '1' });
    expect(misspelt.body).toMatchObject({ errors: [{ pointer: '/step', hint: 'did you mean "first"?' }] });
  });

  test('is one of four that a key tries at once', async () => {
    const { body: run } = await start('many', 'good');
    const json = { expression: 'range(1000).map(a, range(100))' };
    const path = `POST /v1/runs/${String(run['id'])}/evaluate`;
    const answers = await Promise.all(Array.from({ length: 6 }, () => app.ask(path, { json })));
    expect(answers.map(({ status }) => status).filter((status) => status === 429)).toHaveLength(2);
  });

  test('means what it meant when the workflow of the run was deployed', async () => {
    const triedIn = async (name: string): Promise<unknown> => {
      // By its number: the newest version may be remembered from before its definition was exchanged.
      const { body: run } = await app.ask('POST /v1/runs', {
        json: { workflow: name, version: 1 },
        headers: { prefer: 'wait=60' },
      });
      const expressions = ['{"note": inputs.?note}', '${{ {"note": inputs.?note} }}'];
      const path = `POST /v1/runs/${String(run['id'])}/evaluate`;
      return Promise.all(
        expressions.map(async (expression) => (await app.ask(path, { json: { expression } })).body['value']),
      );
    };
    const textOf = (name: string): string =>
      `workflow: ${name}\ninputs: { note: { optional: true } }\nsteps: [{ id: s, set: { a: 1 } }]\n`;
    for (const name of ['aged', 'fresh']) expect((await app.deploy(textOf(name))).status).toBe(201);
    // None is null in maps of the first edition.
    const first = definitionOf(textOf('aged'), 'yaml', {}, 1);
    await putDefinition(store, first);
    await store.prisma.workflowVersion.updateMany({ where: { workflowId: 'aged' }, data: { digest: first.digest } });
    expect(await triedIn('aged')).toEqual([{ note: null }, { note: null }]);
    expect(await triedIn('fresh')).toEqual([{}, {}]);
  });
});
