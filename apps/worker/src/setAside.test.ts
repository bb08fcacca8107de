import { expect, test } from 'vitest';

import { SetAside } from './setAside.ts';

test('a run that cannot be driven is left out for a while, longer each time, until it was driven', () => {
  let now = 0;
  const setAside = new SetAside({ monotonic: () => now });
  const outFor = (): number => {
    const from = now;
    setAside.add('a');
    while (setAside.ids().includes('a')) now += 1_000;
    return now - from;
  };
  expect([outFor(), outFor(), outFor()]).toEqual([5_000, 10_000, 20_000]);
  for (let n = 0; n < 10; n += 1) outFor();
  expect(outFor()).toBe(300_000);
  setAside.remove('a');
  expect(outFor()).toBe(5_000);
});

test('a thousand runs are left out at most', () => {
  const setAside = new SetAside({ monotonic: () => 0 });
  for (let n = 0; n < 1_500; n += 1) setAside.add(`run-${n}`);
  expect(setAside.ids()).toHaveLength(1_000);
  expect(setAside.ids()[0]).toBe('run-500');
});
