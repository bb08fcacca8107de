import { expect, test } from 'vitest';

import { Outage } from './outage.ts';

test('an outage is told once, when it is over, from when it was first noticed', () => {
  let now = 1_000;
  const told: number[] = [];
  const outage = new Outage(
    (awayMs) => told.push(awayMs),
    () => now,
  );
  outage.end();
  outage.begin();
  now += 5_000;
  outage.begin();
  expect(told).toEqual([]);
  now += 7_000;
  outage.end();
  outage.end();
  expect(told).toEqual([12_000]);
  outage.begin();
  outage.end();
  expect(told).toEqual([12_000, 0]);
});
