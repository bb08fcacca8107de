import { advance } from '@baton/runner';
import { type FreshStore, freshStore, requestedEvent } from '@baton/testing';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';

import { auditRecords } from '../audit/auditRecords.ts';
import { PinnedConnection } from '../database/pinnedConnection.ts';
import { readFeed } from './readFeed.ts';
import { readPage } from './readPage.ts';
import { answerBytes } from './withinBytes.ts';

/** Of 60 KB each, of which a run may have thousands. */
const signals = 100;
const eventBytes = 60_000;

let store: FreshStore;
let large: readonly string[];
let small: string;

beforeAll(async () => {
  store = await freshStore();
  large = await Promise.all([0, 1].map(() => newRun(signals)));
  small = await newRun(1);
});
afterAll(() => store.close());

async function newRun(count: number): Promise<string> {
  const { runId } = await store.request({ event: requestedEvent() });
  const payload = 'x'.repeat(eventBytes);
  await advance(store.journal, runId, ({ at }) =>
    Array.from({ length: count }, (_, n) => ({ type: 'signal.received' as const, at, name: `${n}`, payload, by: 'x' })),
  );
  return runId;
}

const names = (events: readonly object[]): unknown[] => events.map((event) => 'name' in event && event.name).slice(1);
const all = Array.from({ length: signals }, (_, n) => `${n}`);

test('journals that are opened together come whole, in answers that have a limit of bytes', async () => {
  const query = vi.spyOn(PinnedConnection.prototype, 'query');
  onTestFinished(() => query.mockRestore());
  const opened = await Promise.all([...large, small].map((runId) => store.journal.open(runId)));
  expect(opened.map((one) => names(one?.events ?? []))).toEqual([all, all, ['0']]);
  expect(opened.map((one) => [one?.log.seq, one?.forgery])).toEqual([
    [signals + 1, undefined],
    [signals + 1, undefined],
    [2, undefined],
  ]);
  const answers = await Promise.all(query.mock.results.map(({ value }) => value as ReturnType<typeof query>));
  const sizes = answers.map(({ rows }) => rows.flat().reduce((sum, text) => sum + (text?.length ?? 0), 0));
  expect(sizes.length).toBeGreaterThan((2 * signals * eventBytes) / answerBytes);
  expect(Math.max(...sizes)).toBeLessThan(answerBytes + signals * 1_000);
});

test('pages of a journal, of the feed and of the audit end at the limit of bytes, and the next ones go on there', async () => {
  const [runId = ''] = large;
  const read: object[] = [];
  const pages: number[] = [];
  for (let isMore = true; isMore;) {
    const page = await readPage(store, runId, { after: read.length, limit: 1_000 });
    read.push(...page.events.map(({ event }) => event));
    pages.push(page.events.length);
    ({ isMore } = page);
  }
  expect(names(read)).toEqual(all);
  expect(Math.max(...pages)).toBeLessThan(signals);

  const fed: string[] = [];
  for (let after = '0-00000000-0000-0000-0000-000000000000-0'; ;) {
    const { events } = await readFeed(store, { after, limit: 1_000 });
    fed.push(...events.map((event) => `${event.runId} ${event.seq}`));
    const last = events.at(-1);
    if (last === undefined) break;
    after = last.position;
  }
  expect(new Set(fed).size).toBe(fed.length);
  expect(fed).toHaveLength(2 * (signals + 1) + 2);

  const audited = await Array.fromAsync(auditRecords(store, { nowMs: Date.now(), isWithUnsealed: true }));
  expect(audited.filter(({ type }) => type === 'event')).toHaveLength(2 * (signals + 1) + 2);
});
