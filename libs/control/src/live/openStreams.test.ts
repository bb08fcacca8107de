import { expect, test } from 'vitest';

import { OpenStreams } from './openStreams.ts';

test('all keys together have five thousand streams, each fifty, and one that is closed makes room', () => {
  const streams = new OpenStreams();
  const leave = Array.from({ length: 5_000 }, (_, at) => streams.enter({ id: `key ${Math.floor(at / 50)}` }));
  expect(streams.count).toBe(5_000);
  expect(() => streams.enter({ id: 'key 0' })).toThrow('50 streams are open with this key');
  expect(() => streams.enter({ id: 'another' })).toThrow('Too many event streams are open.');
  leave[0]?.();
  streams.enter({ id: 'another' });
  expect(streams.count).toBe(5_000);
});
