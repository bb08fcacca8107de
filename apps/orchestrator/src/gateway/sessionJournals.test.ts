import { RunWatches } from '@baton/control';
import type { RunEvent } from '@baton/engine';
import { type Journal, requested } from '@baton/runner';
import { MemoryBus, MemoryJournal, TestClock } from '@baton/testing';
import { expect, test } from 'vitest';

import { type JournalLimits, SessionJournals } from './sessionJournals.ts';

const trigger = { kind: 'session', detail: { session: 's', client: 'c', version: '1' } } as const;
const order = { workflow: 'session', definition: 'd', inputs: {}, trigger, by: 'ada' } as const;

const answer = (characters: number): RunEvent => {
  const payload = { json: 'x'.repeat(characters) };
  return { type: 'signal.received', at: 2, name: 'a', payload, by: 'ada' };
};

function opened(limits: JournalLimits = { count: 100, bytes: 100_000 }) {
  const memory = new MemoryJournal();
  const reads: number[] = [];
  const journal: Journal = {
    open: (runId, after) => {
      reads.push(after ?? 0);
      return memory.open(runId, after);
    },
  };
  const clock = new TestClock();
  const watches = new RunWatches({ bus: new MemoryBus(), positions: async () => new Map(), clock });
  const journals = new SessionJournals({ journal, watches, clock }, limits);
  const start = async (...events: readonly RunEvent[]): Promise<string> => {
    const { runId } = await memory.request(requested(order, 1));
    if (events.length > 0) await (await memory.open(runId))?.log.append({ events });
    return runId;
  };
  const follow = (runId: string, signal = new AbortController().signal, isFound = true): Promise<number | undefined> =>
    journals.follow(runId, (_, run) => (isFound ? run.seq : undefined), { signal, forMs: 1_000, onProgress: () => {} });
  return { journals, start, follow, reads };
}

test('a session whose journal was read before is read from there', async () => {
  const { start, follow, reads } = opened();
  const runId = await start(answer(10));
  expect([await follow(runId), await follow(runId)]).toEqual([2, 2]);
  expect(reads).toEqual([0, 2]);
});

test('a session that has ended is forgotten once no request waits for it', async () => {
  const { journals, start, follow } = opened();
  const closed = await start({ type: 'session.closed', at: 2, by: 'ada' });
  const cut = await start(
    { type: 'run.claimed', at: 2, worker: 'w', claim: 1 },
    { type: 'run.finished', at: 3, status: 'cancelled', failure: { code: 'cancelled', message: 'x' } },
  );
  const open = await start(answer(10));
  await Promise.all([closed, cut, open].map((runId) => follow(runId)));
  expect(journals.runs).toEqual([open]);
  journals.forget(open);
  expect(journals.runs).toEqual([]);
});

test('journals take no more memory than their limit, and those that requests wait for stay', async () => {
  const { journals, start, follow } = opened();
  const leaving = new AbortController();
  const [waited = '', first = '', second = '', third = ''] = await Promise.all(
    [40_000, 40_000, 40_000, 40_000].map((size) => start(answer(size))),
  );
  const waiting = follow(waited, leaving.signal, false);
  for (const runId of [first, second, third]) await follow(runId);
  expect(journals.runs).toEqual([waited, third]);
  journals.forget(waited);
  expect(journals.runs).toEqual([waited, third]);
  leaving.abort();
  expect(await waiting).toBeUndefined();
});

test('small journals are limited by their number', async () => {
  const { journals, start, follow } = opened({ count: 2, bytes: 100_000 });
  const ids = [await start(), await start(), await start()];
  for (const runId of ids) await follow(runId);
  expect(journals.runs).toEqual(ids.slice(1));
});
