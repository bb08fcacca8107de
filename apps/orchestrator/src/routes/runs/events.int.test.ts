import type { RunEvent } from '@baton/engine';
import { advance } from '@baton/runner';
import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { type TestApp, openTestApp } from '../../testing/testApp.ts';
import { openStream } from '../../testing/testStream.ts';

let store: FreshStore;
let app: TestApp;
let url: string;
let key: string;

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url);
  url = await app.listen();
  key = await app.newKey(['runs:read']);
  await app.deploy('workflow: hello\nsteps:\n  - set: { a: 1 }\n');
});

afterAll(async () => {
  await app.close();
  await store.close();
});

const newRun = async (): Promise<string> => {
  const { body } = await app.ask('POST /v1/workflows/hello/runs', { json: {} });
  return String(body['id']);
};

/** As a worker would. No hint is sent: readers find out by themselves. */
const append = async (runId: string, ...events: readonly RunEvent[]): Promise<void> => {
  await advance(store.journal, runId, () => events);
};

const claimed = (claim: number): RunEvent => ({ type: 'run.claimed', at: Date.now(), worker: 'w1', claim });
const signal = (name: string): RunEvent => ({
  type: 'signal.received',
  at: Date.now(),
  name,
  payload: null,
  by: 'test',
});
const finished = (): RunEvent => ({
  type: 'run.finished',
  at: Date.now(),
  status: 'succeeded',
  outputs: { json: null },
});
const signals = (count: number): RunEvent[] => Array.from({ length: count }, (_, at) => signal(`s-${at}`));

const finishedRun = async (more: number): Promise<string> => {
  const runId = await newRun();
  await append(runId, claimed(1), ...signals(more), finished());
  return runId;
};

const follow = (runId: string, query = '', headers: Record<string, string> = {}, as = key) =>
  openStream(`${url}/v1/runs/${runId}/events${query}`, { key: as, headers });
const idsOf = (events: readonly { readonly id: number }[]): number[] => events.map(({ id }) => id);
const upTo = (last: number, first = 1): number[] => Array.from({ length: last - first + 1 }, (_, at) => first + at);

describe('as JSON', () => {
  test('the journal comes in order, page by page', async () => {
    const runId = await finishedRun(5);
    const all = await app.ask(`GET /v1/runs/${runId}/events`);
    const events = all.body['data'] as { seq: number; type: string }[];
    expect(events.map(({ seq }) => seq)).toEqual(upTo(8));
    expect(events.map(({ type }) => type)).toMatchObject([
      'run.requested',
      'run.claimed',
      ...Array<string>(5).fill('signal.received'),
      'run.finished',
    ]);
    expect(all.body['nextCursor']).toBeUndefined();
    const seen: unknown[] = [];
    let cursor = '';
    do {
      const page = await app.ask(`GET /v1/runs/${runId}/events?limit=3${cursor}`);
      seen.push(...(page.body['data'] as unknown[]));
      const { nextCursor } = page.body as { nextCursor?: string };
      cursor = nextCursor === undefined ? '' : `&cursor=${nextCursor}`;
    } while (cursor !== '');
    expect(seen).toEqual(events);
    const after = await app.ask(`GET /v1/runs/${runId}/events?after=6`);
    expect(after.body['data']).toEqual(events.slice(6));
  });

  test('a run that is not there has none, nor has one that the key does not reach', async () => {
    for (const id of ['nothing', '019a0000-0000-7000-8000-000000000001']) {
      expect((await app.ask(`GET /v1/runs/${id}/events`)).status).toBe(404);
    }
    const other = await app.newKey(['runs:read'], { workflows: ['other'] });
    expect((await app.ask(`GET /v1/runs/${await newRun()}/events`, { key: other })).status).toBe(404);
  });

  test.each(['after=-1', 'after=1.5', 'after=99999999999', 'limit=0', 'evil=1'])('?%s is refused', async (query) => {
    expect((await app.ask(`GET /v1/runs/${await newRun()}/events?${query}`)).status).toBe(422);
  });

  test('a cursor of another run is none of this one', async () => {
    const [one, other] = [await finishedRun(3), await finishedRun(3)];
    const { body } = await app.ask(`GET /v1/runs/${one}/events?limit=1`);
    expect((await app.ask(`GET /v1/runs/${other}/events?cursor=${String(body['nextCursor'])}`)).status).toBe(400);
  });
});

describe('as a stream', () => {
  test('of a finished run it has every event once, and ends', async () => {
    const runId = await finishedRun(450);
    const stream = await follow(runId);
    const events = await stream.rest();
    expect(idsOf(events)).toEqual(upTo(453));
    const pages = await app.ask(`GET /v1/runs/${runId}/events?limit=200`);
    expect(events.slice(0, 200).map(({ data }) => data)).toEqual(pages.body['data']);
  });

  test('it follows a run without gaps or duplicates, and ends after its last event', async () => {
    const runId = await newRun();
    const readers = await Promise.all(Array.from({ length: 5 }, () => follow(runId)));
    const reading = Promise.all(readers.map((reader) => reader.rest()));
    await append(runId, claimed(1));
    for (let at = 0; at < 20; at += 1) await append(runId, ...signals(at % 4));
    await append(runId, finished());
    const last = (await store.journal.open(runId))?.events.length ?? 0;
    for (const events of await reading) expect(idsOf(events)).toEqual(upTo(last));
  });

  test('a reader that lost it goes on from where it was', async () => {
    const runId = await newRun();
    const first = await follow(runId);
    await append(runId, claimed(1), ...signals(3));
    const before = [await first.next(), await first.next(), await first.next()].flatMap((event) => event ?? []);
    first.leave();
    await append(runId, ...signals(2), finished());
    const after = await (await follow(runId, '', { 'last-event-id': String(before.at(-1)?.id) })).rest();
    expect(idsOf([...before, ...after])).toEqual(upTo(8));
  });

  test('a reader that lost its orchestrator goes on at another, without gaps or duplicates', async () => {
    const runId = await newRun();
    const first = await follow(runId);
    await append(runId, claimed(1), ...signals(3));
    const before = [await first.next(), await first.next(), await first.next()].flatMap((event) => event ?? []);
    first.leave();
    const other = await openTestApp(store, store.url);
    onTestFinished(() => other.close());
    await append(runId, ...signals(2), finished());
    const headers = { 'last-event-id': String(before.at(-1)?.id) };
    const after = await (await openStream(`${await other.listen()}/v1/runs/${runId}/events`, { key, headers })).rest();
    expect(idsOf([...before, ...after])).toEqual(upTo(8));
  });

  test('it begins after a position; the position that a browser sends overrides it', async () => {
    const runId = await finishedRun(5);
    expect(idsOf(await (await follow(runId, '?after=6')).rest())).toEqual([7, 8]);
    expect(idsOf(await (await follow(runId, '?after=6', { 'last-event-id': '3' })).rest())).toEqual(upTo(8, 4));
    expect(idsOf(await (await follow(runId, '?after=6', { 'last-event-id': 'rubbish' })).rest())).toEqual([7, 8]);
    expect(await (await follow(runId, '?after=8')).rest()).toEqual([]);
    expect(await (await follow(runId, '?after=2147483647')).rest()).toEqual([]);
  });

  test('many readers follow many runs', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, newRun));
    const keys = await Promise.all(Array.from({ length: 4 }, () => app.newKey(['runs:read'])));
    const readers = await Promise.all(
      Array.from({ length: 200 }, (_, at) => follow(ids[at % 10] ?? '', '', {}, keys[at % 4])),
    );
    for (const { status } of readers) expect(status).toBe(200);
    const reading = Promise.all(readers.map((reader) => reader.rest()));
    expect(await gauge('baton_event_readers')).toBeGreaterThanOrEqual(200);
    await Promise.all(ids.map((id) => append(id, claimed(1), ...signals(10), finished())));
    for (const events of await reading) expect(idsOf(events)).toEqual(upTo(13));
    await expect.poll(() => gauge('baton_event_readers')).toBe(0);
  });

  test('a key that has fifty gets no more until one is closed; others are served', async () => {
    const [greedy, other] = [await app.newKey(['runs:read']), await app.newKey(['runs:read'])];
    const runId = await newRun();
    const open = await Promise.all(Array.from({ length: 49 }, () => follow(runId, '', {}, greedy)));
    open.push(await openStream(`${url}/v1/events`, { key: greedy }));
    expect(open.map(({ status }) => status)).toEqual(Array<number>(50).fill(200));
    const ask = (as: string) =>
      fetch(`${url}/v1/runs/${runId}/events`, {
        headers: { authorization: `Bearer ${as}`, accept: 'text/event-stream' },
      });
    const refused = await ask(greedy);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    expect(await refused.json()).toMatchObject({
      type: 'urn:baton:problem:quota-exceeded',
      detail: expect.stringMatching(/^50 streams are open with this key.*close one/) as string,
    });
    expect((await app.ask(`GET /v1/runs/${runId}/events`, { key: greedy })).status).toBe(200);
    const others = await follow(runId, '', {}, other);
    expect(others.status).toBe(200);
    open.pop()?.leave();
    await expect
      .poll(async () => {
        const again = await follow(runId, '', {}, greedy);
        open.push(again);
        return again.status;
      })
      .toBe(200);
    for (const stream of [...open, others]) stream.leave();
  });

  test('refuses those without a key, of a run that is not there, and of another workflow', async () => {
    const runId = await newRun();
    expect((await openStream(`${url}/v1/runs/${runId}/events`, { key: 'wrong' })).status).toBe(401);
    expect((await follow('nothing')).status).toBe(404);
    const other = await app.newKey(['runs:read'], { workflows: ['other'] });
    expect((await openStream(`${url}/v1/runs/${runId}/events`, { key: other })).status).toBe(404);
  });
});

const gauge = async (name: string): Promise<number> => {
  const { text } = await app.ask('GET /metrics');
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
};
