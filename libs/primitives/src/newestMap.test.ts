import { array, assert, nat, property } from 'fast-check';
import { expect, test } from 'vitest';

import { cachedLoads, NewestMap } from './newestMap.ts';

test('a map of the newest entries holds those that were set last, each once, in the order of their setting', () => {
  assert(
    property(array(nat(9)), (keys) => {
      const newest = new NewestMap<number, string>(3);
      for (const key of keys) newest.set(key, `value ${key}`);
      const last = [...new Set(keys.toReversed())].slice(0, 3).toReversed();
      expect([...newest]).toEqual(last.map((key) => [key, `value ${key}`]));
    }),
  );
});

test('a value is loaded once, and anew where it could not be loaded or others were asked for since', async () => {
  const asked: string[] = [];
  const load = cachedLoads(2, async (key) => {
    asked.push(key);
    if (key === 'bad') throw new Error('away');
    return key.toUpperCase();
  });
  expect(await Promise.all([load('a'), load('a'), load('b')])).toEqual(['A', 'A', 'B']);
  expect(asked).toEqual(['a', 'b']);
  await expect(load('bad')).rejects.toThrow('away');
  await expect(load('bad')).rejects.toThrow('away');
  expect(await load('b')).toBe('B');
  expect(await load('a')).toBe('A');
  expect(asked).toEqual(['a', 'b', 'bad', 'bad', 'a']);
});
