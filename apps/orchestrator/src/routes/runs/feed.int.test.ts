import { randomBytes } from 'node:crypto';

import { PositionSeal } from '@baton/control';
import type { RunEvent } from '@baton/engine';
import { advance } from '@baton/runner';
import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type TestApp, openTestApp } from '../../testing/testApp.ts';
import { type Stream, openStream } from '../../testing/testStream.ts';

let store: FreshStore;
let app: TestApp;
/** Another orchestrator on the same Postgres. */
let other: TestApp;
let urls: string[];
let key: string;

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url);
  other = await openTestApp(store, store.url, { parts: { vault: app.vault } });
  urls = [await app.listen(), await other.listen()];
  key = await app.newKey(['runs:read']);
  for (const id of ['hello', 'secret']) await app.deploy(`workflow: ${id}\nsteps:\n  - set: { a: 1 }\n`);
});

afterAll(async () => {
  await app.close();
  await other.close();
  await store.close();
});

const newRun = async (workflow = 'hello'): Promise<string> =>
  String((await app.ask(`POST /v1/workflows/${workflow}/runs`, { json: {} })).body['id']);

const signal = async (runId: string, name: string): Promise<void> => {
  const event: RunEvent = { type: 'signal.received', at: Date.now(), name, payload: null, by: 'test' };
  await advance(store.journal, runId, () => [event]);
};

const follow = (query = '', { at = 0, as = key }: { at?: number; as?: string } = {}): Promise<Stream> =>
  openStream(`${urls[at] ?? ''}/v1/events${query}`, { key: as });

/** `run seq` of the next so many. */
async function take(stream: Stream, count: number): Promise<{ seen: string[]; position: string }> {
  const seen: string[] = [];
  let position = '';
  while (seen.length < count) {
    const event = await stream.next();
    if (event === undefined) throw new Error(`the stream ended after ${seen.length}`);
    seen.push(`${String(event.data['runId'])} ${String(event.data['seq'])}`);
    ({ position } = event);
  }
  return { seen, position };
}

type Page = { readonly data: readonly { readonly runId: string; readonly seq: number }[]; readonly position: string };

const readPage = async (query = ''): Promise<Page> => (await app.ask(`GET /v1/events${query}`)).body as unknown as Page;

/**
 * All that follows up to the event that is meant; a transaction of another test, in another database, may hold it up.
 */
async function readUpTo(after: string, run: string, seq: number, limit = 100): Promise<Page['data'][]> {
  const pages: Page['data'][] = [];
  for (let position = after; !pages.flat().some((event) => event.runId === run && event.seq === seq);) {
    const page = await readPage(`?limit=${limit}&after=${position}`);
    ({ position } = page);
    if (page.data.length > 0) pages.push(page.data);
  }
  return pages;
}

/** Behind everything that has happened. */
async function positionNow(): Promise<string> {
  const { position } = await readPage();
  const run = await newRun();
  await readUpTo(position, run, 1);
  return (await readPage()).position;
}

const allOf = (runs: readonly string[], last: number): Set<string> =>
  new Set(runs.flatMap((run) => Array.from({ length: last }, (_, at) => `${run} ${at + 1}`)));

describe('the events of all runs', () => {
  test('come as they happen, of every run, each once, those of a run in their order', async () => {
    const readers = await Promise.all([follow(), follow(), follow('', { at: 1 })]);
    const runs = await Promise.all(Array.from({ length: 6 }, () => newRun()));
    for (let at = 0; at < 5; at += 1) await Promise.all(runs.map((run) => signal(run, `s${at}`)));
    for (const reader of readers) {
      const { seen } = await take(reader, 36);
      expect(new Set(seen)).toEqual(allOf(runs, 6));
      for (const run of runs) {
        expect(seen.filter((one) => one.startsWith(run))).toEqual([1, 2, 3, 4, 5, 6].map((seq) => `${run} ${seq}`));
      }
      reader.leave();
    }
  });

  test('have no gap and no duplicate for a reader that loses the stream again and again, and reconnects to any orchestrator', async () => {
    let position = await positionNow();
    const runs = await Promise.all(Array.from({ length: 5 }, () => newRun()));
    const writing = Promise.all(
      runs.map(async (run) => {
        for (let at = 0; at < 19; at += 1) await signal(run, `s${at}`);
      }),
    );
    const all: string[] = [];
    for (let at = 0; all.length < 100; at += 1) {
      const stream = await follow(`?after=${position}`, { at: at % 2 });
      const { seen, ...rest } = await take(stream, Math.min(1 + (at % 7), 100 - all.length));
      stream.leave();
      all.push(...seen);
      ({ position } = rest);
    }
    await writing;
    expect(all).toHaveLength(100);
    expect(new Set(all)).toEqual(allOf(runs, 20));
  });

  test('are those that the key reaches and the query asks for', async () => {
    const after = `?after=${await positionNow()}`;
    const few = await app.newKey(['runs:read'], { workflows: ['hello'] });
    const hidden = await newRun('secret');
    const shown = await newRun();
    const limited = await follow(after, { as: few });
    expect((await take(limited, 1)).seen).toEqual([`${shown} 1`]);
    limited.leave();
    const asked = await follow(`${after}&workflow=secret`);
    expect((await take(asked, 1)).seen).toEqual([`${hidden} 1`]);
    asked.leave();
    const { body } = await app.ask(`GET /v1/events${after}`, { key: few });
    expect(body['data']).toMatchObject([{ runId: shown, workflow: 'hello', seq: 1, type: 'run.requested' }]);
  });

  test('have positions that name no run, the same at every orchestrator', async () => {
    const after = await positionNow();
    const few = await app.newKey(['runs:read'], { workflows: ['hello'] });
    const hidden = await newRun('secret');
    await readUpTo(after, hidden, 1);
    const of = async (one: TestApp) =>
      String((await one.ask(`GET /v1/events?after=${after}`, { key: few })).body['position']);
    const position = await of(app);
    expect(position).toBe(await of(other));
    const told = `${position} ${Buffer.from(position, 'base64url').toString('latin1')}`;
    expect(told).not.toContain(hidden);
    const shown = await newRun();
    const stream = await follow(`?after=${after}`, { as: few });
    const { position: last } = await take(stream, 1);
    stream.leave();
    expect(Buffer.from(last, 'base64url').toString('latin1')).not.toContain(shown);
  });

  test('are found again from a position that was sealed under the key before', async () => {
    const position = `7-${await newRun()}-1`;
    const [before, now] = [randomBytes(32), randomBytes(32)];
    expect(new PositionSeal([now, before]).open(new PositionSeal([before]).seal(position))).toBe(position);
  });

  test('come as JSON too, from a position on', async () => {
    const position = await positionNow();
    const run = await newRun();
    for (const name of ['a', 'b']) await signal(run, name);
    const pages = await readUpTo(position, run, 3, 2);
    for (const page of pages) expect(page.length).toBeLessThanOrEqual(2);
    expect(pages.flat()).toMatchObject([1, 2, 3].map((seq) => ({ runId: run, seq })));
  });

  test('do not begin at an invalid position, or at one in the future', async () => {
    const seal = new PositionSeal(app.vault.keysFor('positions in the feed'));
    const ahead = seal.seal(`999999999999-${await newRun()}-0`);
    const ofOthers = new PositionSeal([randomBytes(32)]).seal(`1-${await newRun()}-1`);
    for (const after of ['x', '1', ahead, ofOthers, `1-${await newRun()}-1`]) {
      expect((await app.ask(`GET /v1/events?after=${after}`)).status).toBe(400);
      expect((await follow(`?after=${after}`)).status).toBe(400);
    }
    expect((await app.ask('GET /v1/events', { key: await app.newKey(['servers:read']) })).status).toBe(403);
  });
});
