import { advance } from '@baton/runner';
import { type FreshStore, freshStore, neverEnded, requestedEvent } from '@baton/testing';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';

import { feedEnd, isAhead, isFeedPosition, readFeed } from './readFeed.ts';

let store: FreshStore;

beforeEach(async () => {
  store = await freshStore();
});

afterEach(() => store.close());

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

/**
 * All that follows, as soon as there are so many: what another database of the server just ended may still be counted for a
 * moment, and other test files have theirs there.
 */
async function settled(after: string, count: number): Promise<string[]> {
  let events: string[] = [];
  await expect.poll(async () => (events = (await readOn(after)).events).length).toBe(count);
  return events;
}

describe('the events of all runs', () => {
  test('are read from a position on, each once, however small the pages are', async () => {
    const { position: start } = await feedEnd(store);
    const runs = [await newRun(), await newRun(), await newRun()];
    for (const name of ['a', 'b']) await Promise.all(runs.map((runId) => signal(runId, name)));
    const all = await settled(start, runs.length * 3);
    expect(new Set(all)).toEqual(new Set(runs.flatMap((runId) => [1, 2, 3].map((seq) => `${runId} ${seq}`))));
    await expect.poll(async () => (await readOn(start, 1)).events).toEqual(all);
    await expect.poll(async () => (await readOn(start, 4)).events).toEqual(all);
    for (const runId of runs) {
      const ofRun = all.filter((one) => one.startsWith(runId));
      expect(ofRun).toEqual([1, 2, 3].map((seq) => `${runId} ${seq}`));
    }
  });

  test('wait for transactions that began earlier: no event appears at a position that was read', async () => {
    const { position } = await feedEnd(store);
    const slow = await newRun();
    await settled(position, 1);
    const { position: before } = await readOn(position);
    const client = await store.pool.connect();
    await client.query(`${neverEnded}; begin`);
    await client.query(
      `insert into run_event (run_id, seq, at, type, data, hash) values ($1, 2, 0, 'signal.received', '{}', '\\x00')`,
      [slow],
    );
    const fast = await newRun();
    expect((await readOn(before)).events).toEqual([]);
    await client.query('commit');
    client.release();
    await expect.poll(async () => (await readOn(before)).events).toEqual([`${slow} 2`, `${fast} 1`]);
  });

  test('wait for no transaction in another database of the same server, and for all in this one', async () => {
    const other = await freshStore();
    onTestFinished(() => other.close());
    const { position } = await feedEnd(store);
    const [foreign, own] = [await other.pool.connect(), await store.pool.connect()];
    for (const client of [foreign, own]) await client.query(`${neverEnded}; begin; select pg_current_xact_id()`);
    const runId = await newRun();
    expect((await readOn(position)).events).toEqual([]);
    await own.query('commit');
    own.release();
    await expect.poll(async () => (await readOn(position)).events).toEqual([`${runId} 1`]);
    const later = await newRun();
    await expect.poll(async () => (await readOn(position)).events).toEqual([`${runId} 1`, `${later} 1`]);
    foreign.release(true);
  });

  test('have positions that differ from other texts and from positions ahead of the feed', async () => {
    await newRun();
    const now = await feedEnd(store);
    const { position: end } = now;
    expect(isFeedPosition(end)).toBe(true);
    const { position } = await readOn(end.replace(/^\d+/, '0'));
    expect(isFeedPosition(position)).toBe(true);
    expect(isAhead(position, now)).toBe(false);
    expect(isAhead(end.replace(/^\d+/, '999999999999'), now)).toBe(true);
    for (const text of ['', 'x', '1', end.slice(1, 9), `${end}0000000000`, end.replaceAll('-', '_')])
      expect([text, isFeedPosition(text)]).toEqual([text, false]);
  });
});
