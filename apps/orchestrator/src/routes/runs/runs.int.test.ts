import type { RunEvent } from '@baton/engine';
import { advance } from '@baton/runner';
import { newRunId } from '@baton/store';
import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type TestAnswer, type TestApp, openTestApp } from '../../testing/testApp.ts';

let store: FreshStore;
let app: TestApp;

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url);
  for (const name of ['hello', 'other']) await app.deploy(`workflow: ${name}\nsteps:\n  - set: { a: 1 }\n`);
});

afterAll(async () => {
  await app.close();
  await store.close();
});

const start = async (json: object = {}, workflow = 'hello'): Promise<string> => {
  const { body } = await app.ask(`POST /v1/workflows/${workflow}/runs`, { json });
  return String(body['id']);
};

const append = (runId: string, ...events: readonly RunEvent[]): Promise<unknown> =>
  advance(store.journal, runId, () => events);
const at = Date.now();
const finish = (runId: string, status: 'succeeded' | 'failed'): Promise<unknown> =>
  append(
    runId,
    { type: 'run.claimed', at, worker: 'w1', claim: 1 },
    status === 'succeeded'
      ? { type: 'run.finished', at, status, outputs: { json: { done: true } } }
      : { type: 'run.finished', at, status, failure: { code: 'tool-error', message: 'it broke' } },
  );

interface Page {
  readonly data: readonly { readonly id: string; readonly createdAt: string }[];
  readonly nextCursor?: string;
}

const list = async (query: string): Promise<Page> => {
  const answer = await app.ask(`GET /v1/runs?${query}`);
  expect(answer.status).toBe(200);
  return answer.body as unknown as Page;
};
const ids = async (query: string): Promise<string[]> => (await list(query)).data.map(({ id }) => id);

describe('listing', () => {
  test('newest first, page by page; runs that begin meanwhile shift none', async () => {
    const made: string[] = [];
    for (let count = 0; count < 7; count += 1) made.unshift(await start({ tags: ['paged'] }));
    const seen: string[] = [];
    let cursor: string | undefined = '';
    while (cursor !== undefined) {
      const page: Page = await list(`tag=paged&limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor;
      await start({ tags: ['paged'] });
    }
    expect(seen).toEqual(made);
  });

  test('as many pages as are needed, and not one more', async () => {
    for (let count = 0; count < 4; count += 1) await start({ tags: ['even'] });
    const first = await list('tag=even&limit=2');
    const second = await list(`tag=even&limit=2&cursor=${first.nextCursor ?? ''}`);
    expect([first.data.length, second.data.length, second.nextCursor]).toEqual([2, 2, undefined]);
    expect(await list('tag=none')).toEqual({ data: [] });
  });

  test('a cursor goes with its filters, and is not to be touched', async () => {
    for (let count = 0; count < 3; count += 1) await start({ tags: ['sealed'] });
    const { nextCursor = '' } = await list('tag=sealed&limit=1');
    const wrong = [`tag=other&cursor=${nextCursor}`, `cursor=${nextCursor}`];
    wrong.push(`tag=sealed&cursor=${nextCursor.slice(1)}`, `tag=sealed&cursor=${nextCursor}A`, 'cursor=x', 'cursor=');
    wrong.push(`tag=sealed&cursor=${Buffer.from(newRunId(at)).toString('base64url')}`);
    for (const query of wrong) {
      const answer = await app.ask(`GET /v1/runs?${query}`);
      expect(answer).toMatchObject({ status: 400, body: { type: 'urn:baton:problem:invalid-cursor' } });
    }
    expect((await list(`tag=sealed&limit=200&cursor=${nextCursor}`)).data).toHaveLength(2);
  });

  test('by workflow, status, tag, trigger and time', async () => {
    const tag = 'filtered';
    const [queued, succeeded, failed] = [
      await start({ tags: [tag] }),
      await start({ tags: [tag] }),
      await start({ tags: [tag] }),
    ];
    const other = await start({ tags: [tag, 'second'] }, 'other');
    await finish(succeeded, 'succeeded');
    await finish(failed, 'failed');
    const all = [other, failed, succeeded, queued];
    const cases: [string, string[]][] = [
      ['', all],
      ['workflow=other', [other]],
      ['workflow=hello', [failed, succeeded, queued]],
      ['status=queued', [other, queued]],
      ['status=succeeded', [succeeded]],
      ['status=succeeded&status=failed', [failed, succeeded]],
      ['status=failed&status=cancelled', [failed]],
      ['status=running', []],
      ['trigger=api', all],
      ['trigger=schedule', []],
      ['workflow=hello&status=queued', [queued]],
      ['from=2000-01-01T00:00:00Z&to=2001-01-01T00:00:00Z', []],
      ['from=2000-01-01T00:00:00%2B02:00', all],
    ];
    for (const [query, expected] of cases) expect([query, await ids(`tag=${tag}&${query}`)]).toEqual([query, expected]);
    const [first] = (await list(`tag=${tag}&workflow=other`)).data;
    expect(await ids(`tag=second&from=${first?.createdAt ?? ''}`)).toEqual([other]);
    expect(await ids(`tag=second&to=${first?.createdAt ?? ''}`)).toEqual([]);
  });

  test('large inputs show only their beginning', async () => {
    await app.deploy('workflow: large\ninputs:\n  text: { type: string }\nsteps:\n  - set: { a: 1 }\n');
    await start({ inputs: { text: 'x'.repeat(500_000) }, tags: ['large'] }, 'large');
    const answer = await app.ask('GET /v1/runs?tag=large');
    expect(answer.text.length).toBeLessThan(5_000);
    expect((answer.body['data'] as { inputs: unknown }[])[0]?.inputs).toMatchObject({ $large: {} });
  });
});

describe('one run', () => {
  const missing = ['nothing', newRunId(at), '%F0%9F%98%80', '019a0000-0000-7000-8000-00000000000', 'a'.repeat(500)];

  test.each(missing)('%.40s is not there, in any way', async (id) => {
    const asked: TestAnswer[] = [];
    for (const what of [`GET /v1/runs/${id}`, `GET /v1/runs/${id}/events`, `POST /v1/runs/${id}/cancel`]) {
      asked.push(await app.ask(what));
    }
    asked.push(await app.ask(`GET /v1/runs/${id}/values/${'0'.repeat(64)}`));
    expect(asked.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });

  test('that failed has its error, and where it is over when', async () => {
    const id = await start();
    await finish(id, 'failed');
    const { body } = await app.ask(`GET /v1/runs/${id}`);
    expect(body).toMatchObject({ status: 'failed', error: { code: 'tool-error', message: 'it broke' } });
    expect(body).toMatchObject({ startedAt: expect.any(String) as string, endedAt: expect.any(String) as string });
    expect(body['links']).toEqual({ self: `/v1/runs/${id}`, events: `/v1/runs/${id}/events` });
  });
});

test('The first and the last instant that a range takes are a beginning and an end like others, and one beyond is named.', async () => {
  const id = await start({ tags: ['ranged'] });
  const first = ['1970-01-01', '1970-01-01T00:00:00Z', '1970-01-01T01:00:00+01:00'];
  const last = ['9999-12-31', '9999-12-31T23:59:59.999Z'];
  for (const from of first) expect(await ids(`tag=ranged&from=${encodeURIComponent(from)}`)).toEqual([id]);
  for (const to of first) expect(await ids(`tag=ranged&to=${encodeURIComponent(to)}`)).toEqual([]);
  for (const to of last) expect(await ids(`tag=ranged&to=${to}`)).toEqual([id]);
  for (const from of last) expect(await ids(`tag=ranged&from=${from}`)).toEqual([]);
  const ever = { from: '1970-01-01', to: '9999-12-31' };
  const preview = (range: object) => ({ json: { filter: { tag: 'ranged', ...range }, preview: true } });
  expect(await app.ask('POST /v1/runs/cancel', preview(ever))).toMatchObject({ status: 200, body: { count: 1 } });
  for (const path of ['runs/histogram', 'runs/causes', 'audit/calls', 'audit'])
    expect([path, (await app.ask(`GET /v1/${path}?${new URLSearchParams(ever).toString()}`)).status]).toEqual([
      path,
      200,
    ]);

  const beyond = ['1960-01-01T00:00:00Z', '1969-12-31T23:59:59.999Z', '1970-01-01T00:00:00+01:00', '0001-01-01'];
  for (const instant of [...beyond, '10889-08-02T05:31:50.656Z']) {
    const query = new URLSearchParams({ ...ever, from: instant }).toString();
    for (const path of ['runs', 'runs/histogram', 'runs/causes', 'audit/calls', 'audit']) {
      const { status, body } = await app.ask(`GET /v1/${path}?${query}`);
      expect([path, status, body['detail']]).toEqual([
        path,
        422,
        expect.stringMatching(/^"from" must be an .*instant/),
      ]);
    }
    expect((await app.ask('POST /v1/runs/cancel', preview({ to: instant }))).status).toBe(422);
  }
});

describe('cancelling', () => {
  test('is recorded once, however many ask at the same moment', async () => {
    const id = await start();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, count) =>
        app.ask(`POST /v1/runs/${id}/cancel`, { json: { reason: `r${count}` } }),
      ),
    );
    for (const answer of answers) expect(answer).toMatchObject({ status: 202, body: { id, cancelRequested: true } });
    const events = (await store.journal.open(id))?.events ?? [];
    expect(events.filter(({ type }) => type === 'run.cancelRequested')).toHaveLength(1);
    expect((await app.ask(`GET /v1/runs/${id}`)).body).toMatchObject({ cancelRequested: true });
  });

  test('needs no body, and refuses one that does not fit', async () => {
    expect((await app.ask(`POST /v1/runs/${await start()}/cancel`)).status).toBe(202);
    expect((await app.ask(`POST /v1/runs/${await start()}/cancel`, { json: {} })).status).toBe(202);
    for (const json of [{ why: 'x' }, { reason: 5 }, { reason: 'x'.repeat(501) }, [], { reason: '\u0000' }]) {
      expect((await app.ask(`POST /v1/runs/${await start()}/cancel`, { json })).status).toBe(422);
    }
  });

  test('a run that is over is refused', async () => {
    const id = await start();
    await finish(id, 'succeeded');
    const answer = await app.ask(`POST /v1/runs/${id}/cancel`);
    expect(answer).toMatchObject({ status: 409, body: { detail: 'The run has succeeded.' } });
  });
});
