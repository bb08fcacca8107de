import { expect, test } from 'vitest';

import { Readers } from './readers.ts';

test('all keys together have five thousand streams, each fifty, and one that is closed makes room', () => {
  const readers = new Readers();
  const leave = Array.from({ length: 5_000 }, (_, at) => readers.enter({ id: `key ${Math.floor(at / 50)}` }));
  expect(readers.count).toBe(5_000);
  expect(() => readers.enter({ id: 'key 0' })).toThrow('50 streams are open with this key');
  expect(() => readers.enter({ id: 'another' })).toThrow('Too many follow runs just now.');
  leave[0]?.();
  readers.enter({ id: 'another' });
  expect(readers.count).toBe(5_000);
});
