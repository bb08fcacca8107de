import { expect, test } from 'vitest';

import { keysOf } from './newItems.ts';

test('Few items whose keys take long to compute let other work of the process go on between them.', async () => {
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  turn();
  const seen = new Set<number>();
  const keyOf = (item: unknown): number => {
    seen.add(turns);
    const begun = performance.now();
    while (performance.now() < begun + 15);
    return Number(item);
  };
  await keysOf({ items: [1, 2, 3, 4], keyOf });
  isOver = true;
  expect(seen.size).toBe(4);
});
