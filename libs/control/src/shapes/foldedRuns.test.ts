import { type RunEvent, replay } from '@baton/engine';
import { type Journal, requested } from '@baton/runner';
import { MemoryJournal } from '@baton/testing';
import { expect, test } from 'vitest';

import { type FoldLimits, FoldedRuns } from './foldedRuns.ts';

const order = { workflow: 'w', definition: 'd', inputs: {}, trigger: { kind: 'api' }, by: 'ada' } as const;

const all: FoldLimits = { events: 1, bytes: 1_000_000 };

/** A run in memory, and the positions after which its journal was read. */
async function opened(limits = all) {
  const journal = new MemoryJournal();
  const start = async (): Promise<string> => (await journal.request(requested(order, 1))).runId;
  const reads: (number | undefined)[] = [];
  const watched: Journal = {
    open: (runId, after) => {
      reads.push(after);
      return journal.open(runId, after);
    },
  };
  const append = async (runId: string, ...events: RunEvent[]): Promise<void> =>
    (await journal.open(runId))?.log.append({ events });
  return { folds: new FoldedRuns(watched, limits), journal, reads, start, append };
}

const signal = (name: string): RunEvent => ({
  type: 'signal.received',
  at: 2,
  name,
  payload: { json: null },
  by: 'ada',
});

test('a run that is asked for again is read from where it was folded to, and is as if it were read whole', async () => {
  const { folds, journal, reads, start, append } = await opened();
  const runId = await start();
  await folds.find(runId);
  await append(runId, signal('a'), signal('b'));
  const fold = await folds.find(runId);
  expect(reads).toEqual([undefined, 1]);
  expect(fold?.run).toEqual(replay(runId, (await journal.open(runId))?.events ?? []));
  await append(runId, signal('c'));
  expect((await folds.find(runId.toUpperCase()))?.run.seq).toBe(4);
  expect(reads).toEqual([undefined, 1, 3]);
});

test('clients that ask at the same time fold each event once', async () => {
  const { folds, start, append } = await opened();
  const runId = await start();
  await folds.find(runId);
  await append(runId, signal('a'));
  const found = await Promise.all([folds.find(runId), folds.find(runId), folds.find(runId)]);
  expect(found.map((fold) => fold?.run.seq)).toEqual([2, 2, 2]);
});

test('short runs are not kept, and of long ones those that were asked for last, within a number of bytes', async () => {
  const short = await opened({ ...all, events: 2 });
  const runId = await short.start();
  for (const _ of [1, 2]) await short.folds.find(runId);
  expect(short.reads).toEqual([undefined, undefined]);

  const { folds, reads, start } = await opened({ events: 1, bytes: 1_000 });
  const [one, two, three] = [await start(), await start(), await start()];
  for (const id of [one, two, one, three, one, two]) await folds.find(id);
  expect(reads).toEqual([undefined, undefined, 1, undefined, 1, undefined]);
});

test('there is no run of an id that is unknown, or that was removed', async () => {
  const { folds } = await opened();
  expect(await folds.find('01a20331-f658-7bff-8617-a5eb4685df4a')).toBeUndefined();
});

test('a fold that met an event it cannot take is made anew from the whole journal', async () => {
  const { folds, reads, start, append } = await opened();
  const runId = await start();
  await folds.find(runId);
  await append(runId, signal('a'), requested({ ...order, by: 'bob' }, 2).event);
  await expect(folds.find(runId)).rejects.toThrow('a run is requested once');
  await expect(folds.find(runId)).rejects.toThrow('a run is requested once');
  expect(reads).toEqual([undefined, 1, undefined]);
});
