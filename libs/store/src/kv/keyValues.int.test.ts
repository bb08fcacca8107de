import { limits } from '@baton/expressions';
import type { KeySpace } from '@baton/runner';
import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

let store: FreshStore;
let n = 0;
beforeAll(async () => {
  store = await freshStore();
});
afterAll(() => store.close());

const newSpace = (): KeySpace => ({ project: `p${n++}`, isInline: false });
const put = (space: KeySpace, key: string, value: unknown = key): Promise<boolean> =>
  store.keyValues.put(space, { key, value: value as string, by: 'run-1' });

test('A value is there as it was put last, until it is deleted; null is a value.', async () => {
  const space = newSpace();
  expect(await store.keyValues.get(space, 'a')).toBeUndefined();
  for (const value of [{ deep: [1.5, 'ë\u0000', null] }, 'text', null]) {
    expect(await put(space, 'a', value)).toBe(true);
    expect(await store.keyValues.get(space, 'a')).toEqual({ value });
  }
  expect(await store.keyValues.delete(space, 'a')).toBe(true);
  expect(await store.keyValues.delete(space, 'a')).toBe(false);
  expect(await store.keyValues.get(space, 'a')).toBeUndefined();
});

test('A project sees no values of another one, nor of the texts that come with their runs.', async () => {
  const space = newSpace();
  const others = [newSpace(), { ...space, isInline: true }];
  await put(space, 'a');
  for (const other of others) {
    expect(await store.keyValues.get(other, 'a')).toBeUndefined();
    expect(await store.keyValues.list(other, { prefix: '', after: undefined, limit: 9 })).toEqual({ keys: [] });
    expect(await store.keyValues.delete(other, 'a')).toBe(false);
  }
  expect(await store.keyValues.get(space, 'a')).toEqual({ value: 'a' });
});

test('Keys are listed in the order of their bytes, a page at a time, and a prefix means itself.', async () => {
  const space = newSpace();
  for (const key of ['b', 'a_1', 'a%', 'a1', 'A', 'ä', 'a']) await put(space, key);
  const keysOf = async (prefix: string, after?: string): Promise<unknown> => {
    const { keys, next } = await store.keyValues.list(space, { prefix, after, limit: 3 });
    return [keys.map(({ key }) => key).join(' '), next];
  };
  expect(await keysOf('')).toEqual(['A a a%', 'a%']);
  expect(await keysOf('', 'a%')).toEqual(['a1 a_1 b', 'b']);
  expect(await keysOf('', 'b')).toEqual(['ä', undefined]);
  expect(await keysOf('a_')).toEqual(['a_1', undefined]);
  expect(await keysOf('a%')).toEqual(['a%', undefined]);
});

test('A project that is full takes no new key, and its keys take new values.', async () => {
  const space = newSpace();
  await store.pool.query(
    `insert into kv_value (project, is_inline, key, value, bytes, by)
     select $1, false, 'k' || n, '1', 1, 'x' from generate_series(1, $2::int) as n`,
    [space.project, limits.kv.keys],
  );
  expect(await put(space, 'more')).toBe(false);
  expect(await put(space, 'k1')).toBe(true);
  await store.keyValues.delete(space, 'k2');
  expect(await put(space, 'more')).toBe(true);
});
