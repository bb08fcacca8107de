import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type TestAnswer, type TestApp, openTestApp } from '../../testing/testApp.ts';

let store: FreshStore;
let app: TestApp;

const steps = 'steps:\n  - set: { a: 1 }\n';
const inputs = 'inputs:\n  name: { type: string, maxLength: 5 }\n  times: { type: integer, default: 2 }\n';

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url);
  await app.deploy(`workflow: hello\n${steps}`);
  await app.deploy(`workflow: greet\n${inputs}${steps}`);
});

afterAll(async () => {
  await app.close();
  await store.close();
});

const start = (json: unknown, headers: Record<string, string> = {}, workflow = 'hello'): Promise<TestAnswer> =>
  app.ask(`POST /v1/workflows/${workflow}/runs`, { json, headers });
const runs = async (tag: string): Promise<unknown[]> =>
  (await app.ask(`GET /v1/runs?tag=${tag}`)).body['data'] as unknown[];

describe('starting', () => {
  test('answers 202 with where the run is, and the run says how it came', async () => {
    const started = await start({ priority: 3, tags: ['x'] });
    expect(started).toMatchObject({ status: 202, body: { status: 'queued' } });
    const id = String(started.body['id']);
    expect(started.headers['location']).toBe(`/v1/runs/${id}`);
    const shown = await app.ask(`GET ${String(started.headers['location'])}`);
    expect(shown.body).toMatchObject({
      id,
      workflow: 'hello',
      version: 1,
      status: 'queued',
      trigger: { kind: 'api' },
      tags: ['x'],
      priority: 3,
      inputs: {},
      steps: [],
    });
  });

  test('needs a body, even an empty one', async () => {
    expect((await app.ask('POST /v1/workflows/hello/runs')).status).toBe(400);
  });

  test('holds inputs to what the workflow asks for, and fills in defaults', async () => {
    const started = await start({ inputs: { name: 'Ada' } }, {}, 'greet');
    const shown = await app.ask(`GET /v1/runs/${String(started.body['id'])}`);
    expect(shown.body['inputs']).toEqual({ name: 'Ada', times: 2 });
    for (const [given, pointer] of [
      [{}, '/inputs'],
      [{ name: 'Adelaide' }, '/inputs/name'],
      [{ name: 5 }, '/inputs/name'],
      [{ name: 'Ada', times: '2' }, '/inputs/times'],
      [{ name: 'Ada', nam: 'x' }, '/inputs'],
    ] as const) {
      const answer = await start({ inputs: given }, {}, 'greet');
      expect(answer.status).toBe(422);
      const [error] = answer.body['errors'] as { pointer: string }[];
      expect(error?.pointer).toContain(pointer);
    }
  });

  test('of a version starts that version; of an unknown one, nothing', async () => {
    await app.deploy(`workflow: hello\ntitle: second\n${steps}`);
    const old = await start({ version: 1 });
    expect((await app.ask(`GET /v1/runs/${String(old.body['id'])}`)).body['version']).toBe(1);
    const newest = await start({});
    expect((await app.ask(`GET /v1/runs/${String(newest.body['id'])}`)).body['version']).toBe(2);
    const answer = await start({ version: 9 });
    expect(answer).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining('2 is the newest') as string },
    });
  });

  test('is always of the newest version, deployed by any key, and of none that is gone', async () => {
    const other = await openTestApp(store, store.url);
    const deploy = (text: string): Promise<unknown> => other.deploy(`workflow: moving\n${text}${steps}`);
    const startMoving = (given: Record<string, string> = {}): Promise<TestAnswer> =>
      start({ inputs: given }, { prefer: 'wait=0' }, 'moving');
    const versionOf = async ({ body }: TestAnswer): Promise<unknown> =>
      (await app.ask(`GET /v1/runs/${String(body['id'])}`)).body['version'];
    await deploy('');
    expect([await versionOf(await startMoving()), await versionOf(await startMoving())]).toEqual([1, 1]);
    await deploy('title: Two\n');
    expect(await versionOf(await startMoving())).toBe(2);
    await deploy('inputs:\n  name: { type: string }\n');
    // What speaks against the version that was known does not count, nor does what speaks for it.
    expect(await versionOf(await startMoving({ name: 'Ada' }))).toBe(3);
    await deploy('title: Four\n');
    expect((await startMoving({ name: 'Ada' })).status).toBe(422);
    expect((await other.ask('DELETE /v1/workflows/moving')).status).toBe(204);
    expect((await startMoving()).status).toBe(404);
    await other.close();
  });

  test('with a delay begins later', async () => {
    const started = await start({ delay: '1h' });
    const shown = await app.ask(`GET /v1/runs/${String(started.body['id'])}`);
    const { wakeAt, createdAt } = shown.body as Record<string, string>;
    expect(Date.parse(wakeAt ?? '') - Date.parse(createdAt ?? '')).toBe(3_600_000);
  });

  test('with a parameter that has no effect is refused', async () => {
    const { status, body } = await app.ask('POST /v1/workflows/hello/runs?wait=10', { json: {} });
    expect({ status, errors: body['errors'] }).toEqual({
      status: 422,
      errors: [
        {
          pointer: '?wait',
          code: 'unknown-member',
          message: expect.stringMatching(/^"wait" is superfluous/) as string,
        },
      ],
    });
  });

  test('of an inline workflow, as an object or as text', async () => {
    const object = { workflow: 'inline', steps: [{ set: { a: 1 } }] };
    for (const workflow of [object, `workflow: inline\n${steps}`]) {
      const started = await app.ask('POST /v1/runs', { json: { workflow } });
      expect(started.status).toBe(202);
      const shown = await app.ask(`GET /v1/runs/${String(started.body['id'])}`);
      expect(shown.body).toMatchObject({ workflow: 'inline', version: null });
    }
    expect((await app.ask('GET /v1/workflows/inline')).status).toBe(404);
  });

  test('of an invalid inline workflow, or by an invalid name, is refused', async () => {
    const wrong = await app.ask('POST /v1/runs', { json: { workflow: { workflow: 'inline', steps: [{ sett: 1 }] } } });
    expect(wrong).toMatchObject({ status: 422, body: { type: 'urn:baton:problem:workflow-invalid' } });
    const [error] = wrong.body['errors'] as { pointer: string }[];
    expect(error?.pointer).toMatch(/^\/workflow\/steps\/0/);
    const unknown = await app.ask('POST /v1/runs', { json: { workflow: 'helo' } });
    expect(unknown.status).toBe(404);
    expect(unknown.body['errors']).toMatchObject([
      { pointer: '/workflow', code: 'unknown-workflow', hint: expect.stringContaining('hello') as string },
    ]);
    expect((await app.ask('POST /v1/runs', { json: {} })).status).toBe(422);
    expect((await app.ask('POST /v1/runs', { json: { workflow: 5 } })).status).toBe(422);
  });
});

describe('an idempotency key', () => {
  test('with the same body, however it is written, answers with the same run', async () => {
    const headers = { 'idempotency-key': 'replay' };
    const first = await start({ tags: ['replay'], priority: 1 }, headers);
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    const again = await start({ priority: 1, tags: ['replay'] }, headers);
    expect(again).toMatchObject({ status: 202, body: first.body });
    expect(again.headers).toMatchObject({ 'idempotency-replayed': 'true', location: first.headers['location'] });
    expect(await runs('replay')).toHaveLength(1);
  });

  test('goes on answering when the workflow is gone', async () => {
    await app.deploy(`workflow: gone\n${steps}`);
    const first = await start({}, { 'idempotency-key': 'gone' }, 'gone');
    await app.ask('DELETE /v1/workflows/gone');
    expect((await start({}, { 'idempotency-key': 'gone' }, 'gone')).body['id']).toBe(first.body['id']);
  });

  test('with another body, or for another workflow, is refused', async () => {
    const headers = { 'idempotency-key': 'other' };
    expect((await start({}, headers)).status).toBe(202);
    for (const answer of [
      await start({ priority: 9 }, headers),
      await start({ inputs: { name: 'A' } }, headers, 'greet'),
    ]) {
      expect(answer).toMatchObject({ status: 422, body: { type: 'urn:baton:problem:idempotency-key-reused' } });
    }
  });

  test('of another client is another key', async () => {
    const headers = { 'idempotency-key': 'shared' };
    const key = await app.newKey(['runs:write']);
    const mine = await start({}, headers);
    const theirs = await app.ask('POST /v1/workflows/hello/runs', { json: {}, headers, key });
    expect(theirs.status).toBe(202);
    expect(theirs.body['id']).not.toBe(mine.body['id']);
  });

  test('while the first request is being served is asked to wait, and there is one run', async () => {
    const headers = { 'idempotency-key': 'flight' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => start({ tags: ['flight'] }, headers)));
    expect(answers.filter(({ status }) => status === 202).length).toBeGreaterThan(0);
    for (const { status, body, headers } of answers.filter(({ status }) => status !== 202)) {
      expect({ status, type: body['type'] }).toEqual({ status: 409, type: 'urn:baton:problem:in-progress' });
      expect(headers['retry-after']).toBe('1');
    }
    expect(await runs('flight')).toHaveLength(1);
    expect((await start({ tags: ['flight'] }, headers)).status).toBe(202);
  });

  test('at the same moment on two orchestrators makes one run', async () => {
    const other = await openTestApp(store, store.url);
    const key = await app.newKey(['runs:write']);
    const headers = { 'idempotency-key': 'two' };
    const json = { tags: ['two'] };
    const both = [app, other].map((one) => one.ask('POST /v1/workflows/hello/runs', { json, headers, key }));
    const ids = (await Promise.all(both)).map(({ body }) => body['id']);
    expect(ids[0]).toEqual(expect.any(String));
    expect(ids[1]).toBe(ids[0]);
    expect(await runs('two')).toHaveLength(1);
    await other.close();
  });

  test('of a request that failed is free', async () => {
    const headers = { 'idempotency-key': 'failed' };
    expect((await start({ inputs: {} }, headers, 'greet')).status).toBe(422);
    expect((await start({ inputs: { name: 'Ada' } }, headers, 'greet')).status).toBe(202);
  });

  test.each(['', ' ', 'a'.repeat(256), 'two words', 'ü'])('%j is none', async (key) => {
    expect((await start({}, { 'idempotency-key': key })).status).toBe(422);
  });
});

describe('Prefer: wait', () => {
  test('answers with the run as it stands when the time is over', async () => {
    const answer = await start({}, { prefer: 'respond-async, wait=1' });
    expect(answer).toMatchObject({ status: 202, body: { status: 'queued' } });
    expect(answer.headers['preference-applied']).toBe('wait=1');
  });

  test.each(['wait=0', 'wait', 'wait=soon', 'wait=-1', 'return=minimal', ''])(
    '%j waits for nothing',
    async (prefer) => {
      const answer = await start({}, { prefer });
      expect(answer.status).toBe(202);
      expect(answer.headers['preference-applied']).toBeUndefined();
    },
  );
});
