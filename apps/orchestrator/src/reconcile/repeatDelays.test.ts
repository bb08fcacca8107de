import { expect, test } from 'vitest';

import { RepeatDelays } from './repeatDelays.ts';

test('who was helped is let be, twice as long each time, up to a limit', () => {
  const patience = new RepeatDelays({ first: 10, most: 40 });
  const helpedAt = Array.from({ length: 200 }, (_, now) => now).filter((now) => patience.due(['a'], now).length > 0);
  expect(helpedAt).toEqual([0, 10, 30, 70, 110, 150, 190]);
});

test('who is no longer in need is forgotten, and begins anew', () => {
  const patience = new RepeatDelays({ first: 10, most: 40 });
  expect(patience.due(['a', 'b'], 0)).toEqual(['a', 'b']);
  expect(patience.due(['b'], 1)).toEqual([]);
  expect(patience.due(['a', 'b'], 2)).toEqual(['a']);
});

test('who is named twice is helped once', () => {
  expect(new RepeatDelays({ first: 10, most: 40 }).due(['a', 'a'], 0)).toEqual(['a']);
});
