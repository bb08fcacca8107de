import { expect, test } from 'vitest';

import { CompileCache } from './cache.ts';

test('what was not asked for longest is forgotten first', () => {
  const cache = new CompileCache<string, string>(2);
  const made: string[] = [];
  const ask = (key: string): string =>
    cache.get(key, () => {
      made.push(key);
      return key.toUpperCase();
    });
  expect(['a', 'b', 'a', 'c', 'a', 'b'].map(ask)).toEqual(['A', 'B', 'A', 'C', 'A', 'B']);
  expect(made).toEqual(['a', 'b', 'c', 'b']);
});

test('what is forgotten is made anew', () => {
  const cache = new CompileCache<string, object>(2);
  const first = cache.get('a', () => ({}));
  cache.forget('a');
  expect(cache.get('a', () => ({}))).not.toBe(first);
});
