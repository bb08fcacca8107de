import type { RunEvent } from '@baton/engine';
import { advance } from '@baton/runner';
import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type TestApp, openTestApp } from '../../testing/testApp.ts';

let store: FreshStore;
let app: TestApp;

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url);
  await app.deploy('workflow: asks\nsteps:\n  - id: ok\n    ask: Go on?\n    form: { yes: { type: boolean } }\n');
  await app.deploy('workflow: waits\nsteps:\n  - wait: { signal: go }\n');
});

afterAll(async () => {
  await app.close();
  await store.close();
});

const form = {
  type: 'object',
  properties: { yes: { type: 'boolean' }, priority: { enum: ['P1', 'P2'], default: 'P2' } },
  required: ['yes', 'priority'],
  additionalProperties: false,
};

/** What the worker would have written: the run asks its questions and lets go. */
async function asks(paths: readonly string[], more: object = {}): Promise<string> {
  const started = await app.ask('POST /v1/workflows/asks/runs', { json: {} });
  const id = String(started.body['id']);
  await advance(store.journal, id, ({ at }): RunEvent[] => [
    { type: 'run.claimed', at, worker: 'w1', claim: 1 },
    ...paths.map((path): RunEvent => {
      const awaiting = { for: 'answer', question: { message: `${path}?`, form, ...more } } as const;
      return { type: 'step.waiting', at, path, verb: 'ask', attempt: 1, awaiting };
    }),
    { type: 'run.waiting', at },
  ]);
  return id;
}

interface Listed {
  readonly id: string;
  readonly runId: string;
  readonly step: string;
}

async function openOf(runId: string): Promise<readonly Listed[]> {
  const all: Listed[] = [];
  let cursor: string | undefined;
  do {
    const query = cursor === undefined ? '' : `&cursor=${cursor}`;
    const { body, status } = await app.ask(`GET /v1/questions?limit=2${query}`);
    expect(status).toBe(200);
    all.push(...(body['data'] as Listed[]));
    cursor = body['nextCursor'] as string | undefined;
  } while (cursor !== undefined);
  return all.filter((one) => one.runId === runId);
}

const first = async (runId: string): Promise<string> => (await openOf(runId))[0]?.id ?? '';

describe('a question', () => {
  test('is listed while it is open, page by page, several of one run too', async () => {
    const runs = await Promise.all([asks(['a', 'b', 'c']), asks(['ok']), asks(['d', 'e'])]);
    const steps = await Promise.all(runs.map(async (run) => (await openOf(run)).map(({ step }) => step)));
    expect(steps).toEqual([['a', 'b', 'c'], ['ok'], ['d', 'e']]);
  });

  test('A question is found by its run, page by page, however many questions other runs ask', async () => {
    const [run] = await Promise.all([asks(['a', 'b', 'c']), asks(['d'])]);
    const first = await app.ask(`GET /v1/questions?runId=${run}&limit=2`);
    expect(first.body).toMatchObject({
      data: [{ step: 'a' }, { step: 'b' }],
      nextCursor: expect.any(String) as string,
    });
    const rest = await app.ask(`GET /v1/questions?runId=${run}&limit=2&cursor=${String(first.body['nextCursor'])}`);
    expect(rest.body).toMatchObject({ data: [{ step: 'c' }] });
    expect(rest.body).not.toHaveProperty('nextCursor');
    expect((await app.ask(`GET /v1/questions?runId=${run}&workflow=waits`)).body).toEqual({ data: [] });
    const elsewhere = await app.newKey(['questions:answer'], { workflows: ['waits'] });
    expect((await app.ask(`GET /v1/questions?runId=${run}`, { key: elsewhere })).body).toEqual({ data: [] });
    const malformed = await app.ask('GET /v1/questions?runId=last');
    expect(malformed).toMatchObject({ status: 422 });
  });

  test('counts as open until it is answered', async () => {
    const open = async (): Promise<number> =>
      Number(/^baton_questions_open (\d+)$/m.exec((await app.ask('GET /metrics', { key: '' })).text)?.[1]);
    const before = await open();
    const id = await first(await asks(['ok']));
    expect(await open()).toBe(before + 1);
    await app.ask(`POST /v1/questions/${id}/answer`, { json: { answer: { yes: true } } });
    expect(await open()).toBe(before);
  });

  test('is answered in its form, by a key that may', async () => {
    const run = await asks(['ok']);
    const id = await first(run);
    const key = await app.newKey(['questions:answer']);
    const answered = await app.ask(`POST /v1/questions/${id}/answer`, { key, json: { answer: { yes: true } } });
    expect(answered).toMatchObject({ status: 200, body: { runId: run, answer: { yes: true, priority: 'P2' } } });
    expect(await openOf(run)).toEqual([]);
    const { events = [] } = (await store.journal.open(run)) ?? {};
    const by = String(answered.body['by']);
    expect(events.at(-1)).toMatchObject({
      type: 'question.answered',
      path: 'ok',
      answer: { yes: true, priority: 'P2' },
      by,
    });
    expect((await app.ask(`GET /v1/questions/${id}`)).body).toMatchObject({ status: 'answered', answeredBy: by });
  });

  test('that two answer at the same moment is answered by one, and the other is told', async () => {
    const run = await asks(['ok']);
    const id = await first(run);
    const answers = await Promise.all(
      [true, false, true, false].map((yes) =>
        app.ask(`POST /v1/questions/${id}/answer`, { json: { answer: { yes } } }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
    const told = answers.find(({ status }) => status === 409);
    expect(told?.body).toMatchObject({
      type: 'urn:baton:problem:already-answered',
      detail: expect.stringMatching(/^test \([\w-]+\) has answered the question already\.$/) as string,
    });
    const { events = [] } = (await store.journal.open(run)) ?? {};
    expect(events.filter(({ type }) => type === 'question.answered')).toHaveLength(1);
  });

  test.each([
    [{ answer: { yes: 'maybe' } }, '/answer/yes'],
    [{ answer: {} }, '/answer'],
    [{ answer: { yes: true, priority: 'P9' } }, '/answer/priority'],
    [{ answer: { yes: true, more: 1 } }, '/answer'],
    [{ answer: true }, '/answer'],
    [{ yes: true }, '/yes'],
  ])('is not answered with %j', async (json, pointer) => {
    const id = await first(await asks(['ok']));
    const refused = await app.ask(`POST /v1/questions/${id}/answer`, { json });
    expect(refused.status).toBe(422);
    const errors = refused.body['errors'] as { pointer: string }[];
    expect(errors.some((error) => error.pointer.startsWith(pointer))).toBe(true);
  });

  test('is closed when its time has run out', async () => {
    const id = await first(await asks(['ok'], { expiresAt: 1_700_000_000_000 }));
    const late = await app.ask(`POST /v1/questions/${id}/answer`, { json: { answer: { yes: true } } });
    expect(late).toMatchObject({ status: 409, body: { type: 'urn:baton:problem:question-closed' } });
  });

  test('takes no answer from a key that may not answer, and none twice over', async () => {
    const run = await asks(['ok']);
    const id = await first(run);
    const json = { answer: { yes: true } };
    const runner = await app.newKey(['runs:write']);
    expect((await app.ask(`POST /v1/questions/${id}/answer`, { key: runner, json })).status).toBe(403);
    const elsewhere = await app.newKey(['questions:answer'], { workflows: ['other'] });
    expect((await app.ask(`POST /v1/questions/${id}/answer`, { key: elsewhere, json })).status).toBe(404);
    for (const wrong of ['x', `${run}-0000000000000000`, run, '%00']) {
      expect((await app.ask(`POST /v1/questions/${wrong}/answer`, { json })).status).toBe(404);
    }
  });
});

describe('a signal', () => {
  const start = async (): Promise<string> =>
    String((await app.ask('POST /v1/workflows/waits/runs', { json: {} })).body['id']);

  test('is in the journal, with its payload and who sent it', async () => {
    const id = await start();
    const sent = await app.ask(`POST /v1/runs/${id}/signals/go`, { json: { payload: { n: 1 } } });
    expect(sent).toMatchObject({ status: 202, body: { id, signal: 'go', seq: 2 } });
    expect((await app.ask(`POST /v1/runs/${id}/signals/go`)).status).toBe(202);
    const { events = [] } = (await store.journal.open(id)) ?? {};
    expect(events.slice(1)).toMatchObject([
      { type: 'signal.received', name: 'go', payload: { n: 1 } },
      { type: 'signal.received', name: 'go', payload: null },
    ]);
  });

  test('is taken however many come at the same moment', async () => {
    const id = await start();
    const many = Array.from({ length: 150 }, (_, payload) =>
      app.ask(`POST /v1/runs/${id}/signals/go`, { json: { payload } }),
    );
    const answers = await Promise.all(many);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(answers.map(({ body }) => body['seq'])).size).toBe(150);
  });

  test.each([
    ['go', { payload: 'x'.repeat(70_000) }, 413],
    ['go', { load: 1 }, 422],
    ['x'.repeat(200), {}, 422],
    ['%00', {}, 422],
  ])('%.20s is refused', async (name, json, status) => {
    const id = await start();
    expect((await app.ask(`POST /v1/runs/${id}/signals/${name}`, { json })).status).toBe(status);
  });

  test('does not reach a run that is over, or that is not there', async () => {
    const id = await start();
    await advance(store.journal, id, ({ at }): RunEvent[] => [
      { type: 'run.claimed', at, worker: 'w1', claim: 1 },
      { type: 'run.finished', at, status: 'succeeded' },
    ]);
    expect((await app.ask(`POST /v1/runs/${id}/signals/go`)).status).toBe(409);
    expect((await app.ask('POST /v1/runs/nothing/signals/go')).status).toBe(404);
  });
});
