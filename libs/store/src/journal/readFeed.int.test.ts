import { advance } from '@baton/runner';
import type { FreshStore } from '@baton/testing';
import { freshStore, requestedEvent } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { feedEnd, isAhead, isFeedPosition, readFeed } from './readFeed.ts';

let store: FreshStore;

beforeAll(async () => {
  store = await freshStore();
});

afterAll(() => store.close());

const newRun = async (): Promise<string> => (await store.request({ event: requestedEvent() })).runId;

const signal = async (runId: string, name: string): Promise<void> => {
  const event = { type: 'signal.received', at: 1_900_000_000_000, name, payload: null, by: 'x' } as const;
  await advance(store.journal, runId, () => [event]);
};

/** All that follows, in pages of `limit`; and where it ended. */
async function readOn(after: string, limit = 100): Promise<{ events: string[]; position: string }> {
  const events: string[] = [];
  let position = after;
  for (;;) {
    const page = await readFeed(store, { after: position, limit });
    events.push(...page.events.map(({ runId, seq }) => `${runId} ${seq}`));
    position = page.events.at(-1)?.position ?? position;
    if (page.events.length < limit) return { events, position };
  }
}

describe('the events of all runs', () => {
  test('follow from where one stands, each once, however small the pages are', async () => {
    const start = await feedEnd(store);
    const runs = [await newRun(), await newRun(), await newRun()];
    for (const name of ['a', 'b']) await Promise.all(runs.map((runId) => signal(runId, name)));
    const all = (await readOn(start)).events;
    expect(new Set(all)).toEqual(new Set(runs.flatMap((runId) => [1, 2, 3].map((seq) => `${runId} ${seq}`))));
    expect(all).toHaveLength(9);
    expect((await readOn(start, 1)).events).toEqual(all);
    expect((await readOn(start, 4)).events).toEqual(all);
    for (const runId of runs) {
      const ofRun = all.filter((one) => one.startsWith(runId));
      expect(ofRun).toEqual([1, 2, 3].map((seq) => `${runId} ${seq}`));
    }
  });

  test('wait for what began before them: nothing comes later in the place of something that was read', async () => {
    const { position } = await readOn(await feedEnd(store));
    const slow = await newRun();
    const { position: before } = await readOn(position);
    const client = await store.pool.connect();
    await client.query('begin');
    await client.query(
      `insert into run_event (run_id, seq, at, type, data, hash) values ($1, 2, 0, 'signal.received', '{}', '\\x00')`,
      [slow],
    );
    const fast = await newRun();
    expect((await readOn(before)).events).toEqual([]);
    await client.query('commit');
    client.release();
    expect((await readOn(before)).events).toEqual([`${slow} 2`, `${fast} 1`]);
  });

  test('have positions that can be told from other texts, and from those that are yet to come', async () => {
    const end = await feedEnd(store);
    expect(isFeedPosition(end)).toBe(true);
    const { position } = await readOn(end.replace(/^\d+/, '0'));
    expect(isFeedPosition(position)).toBe(true);
    expect(isAhead(position, end)).toBe(false);
    expect(isAhead(end.replace(/^\d+/, '999999999999'), end)).toBe(true);
    for (const text of ['', 'x', '1', end.slice(1, 9), `${end}0000000000`, end.replaceAll('-', '_')])
      expect([text, isFeedPosition(text)]).toEqual([text, false]);
  });
});
