import { expect, test } from 'vitest';

import { batchTaker } from './takeBatch.ts';

const append = (name: string, runId: string, events: number, owner = runId) => ({
  name,
  runId,
  owner: { error: undefined, of: owner },
  bytes: events * 100,
  events: Array.from({ length: events }, () => 0),
});

type Append = ReturnType<typeof append>;

/** The batches that the writer would make of these, while nothing more comes in. */
function batchesOf(waiting: Append[]): string[][] {
  const take = batchTaker();
  const batches: string[][] = [];
  while (waiting.length > 0) batches.push(take(waiting).map(({ name }) => name));
  return batches;
}

test('small appends go before large ones, which go with the next batch', () => {
  const waiting = [append('large', 'a', 1_000), append('small', 'b', 1), append('another', 'c', 2)];
  expect(batchesOf(waiting)).toEqual([['small', 'another'], ['large']]);
});

test('large appends wait for one batch of small ones, however many come in', () => {
  const take = batchTaker();
  const waiting = [append('large', 'a', 1_000)];
  const taken: string[][] = [];
  for (let round = 0; round < 4; round += 1) {
    waiting.push(append(`small ${round}`, `b${round}`, 1));
    taken.push(take(waiting).map(({ name }) => name));
  }
  expect(taken).toEqual([['small 0'], ['large', 'small 1'], ['small 2'], ['small 3']]);
});

test('the appends of one run keep their order', () => {
  const owner = { error: undefined, of: 'a' };
  const waiting = [append('first', 'a', 1_000), append('second', 'a', 1), append('other', 'b', 1)];
  for (const one of waiting.slice(0, 2)) Object.assign(one, { owner });
  expect(batchesOf(waiting)).toEqual([['other'], ['first', 'second']]);
});

test('a second owner of a run comes in a later batch, where it finds the events of the first', () => {
  const waiting = [append('first', 'a', 1, 'one'), append('second', 'a', 1, 'two')];
  expect(batchesOf(waiting)).toEqual([['first'], ['second']]);
});
