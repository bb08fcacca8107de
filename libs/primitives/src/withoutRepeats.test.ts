import { expect, test } from 'vitest';

import { withoutRepeats } from './withoutRepeats.ts';

test('a signal that npm passes on as well is heard once, and a later one again', () => {
  let now = 0;
  const heard: number[] = [];
  const listener = withoutRepeats(
    () => now,
    () => void heard.push(now),
  );
  for (now of [0, 3, 999, 1_000, 1_400, 5_000]) listener();
  expect(heard).toEqual([0, 1_000, 5_000]);
});
