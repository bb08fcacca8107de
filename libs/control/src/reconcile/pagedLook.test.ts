import { expect, test } from 'vitest';

import { PagedLook } from './pagedLook.ts';

/** Ten items, three in a page. */
const all = Array.from({ length: 10 }, (_, n) => `run-${n}`);
const find = async (after = '') => {
  const items = all.filter((runId) => runId > after).slice(0, 3);
  return { items: items.map((runId) => ({ runId })), next: items.length === 3 ? items.at(-1) : undefined };
};

test('items are found behind any number of items for which no action helps, and each waits longer each time', async () => {
  const look = new PagedLook<{ runId: string }, string>({ first: 6, most: 100 });
  const passes: string[][] = [];
  for (let now = 0; now < 16; now += 1) passes.push((await look.next(find, now)).map(({ runId }) => runId));
  const pages = [all.slice(0, 3), all.slice(3, 6), all.slice(6, 9), all.slice(9)];
  // The second round comes too early for the first two pages: six are not over.
  expect(passes.slice(0, 4)).toEqual(pages);
  expect(passes.slice(4, 8)).toEqual([[], [], [], []]);
  expect(passes.slice(8, 12)).toEqual(pages);
  expect(passes.slice(12)).toEqual([[], [], [], []]);
});

test('an item that needs no action any more is forgotten after the round, and begins anew', async () => {
  const look = new PagedLook<{ runId: string }, string>({ first: 100, most: 100 });
  const pageOf = (...ids: string[]) => look.next(async () => ({ items: ids.map((runId) => ({ runId })) }), 0);
  expect(await pageOf('a', 'b')).toEqual([{ runId: 'a' }, { runId: 'b' }]);
  expect(await pageOf('b')).toEqual([]);
  expect(await pageOf('a', 'b')).toEqual([{ runId: 'a' }]);
});
