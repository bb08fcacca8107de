import { expect, test } from 'vitest';

import { RepeatDelays } from './repeatDelays.ts';

test('after each action an item waits twice as long, up to a limit', () => {
  const patience = new RepeatDelays({ first: 10, most: 40 });
  const helpedAt = Array.from({ length: 200 }, (_, now) => now).filter((now) => patience.due(['a'], now).length > 0);
  expect(helpedAt).toEqual([0, 10, 30, 70, 110, 150, 190]);
});

test('an item that needs no action is forgotten, and begins anew', () => {
  const patience = new RepeatDelays({ first: 10, most: 40 });
  expect(patience.due(['a', 'b'], 0)).toEqual(['a', 'b']);
  expect(patience.due(['b'], 1)).toEqual([]);
  expect(patience.due(['a', 'b'], 2)).toEqual(['a']);
});

test('an item that is listed twice gets one action', () => {
  expect(new RepeatDelays({ first: 10, most: 40 }).due(['a', 'a'], 0)).toEqual(['a']);
});
