import { expect, test } from 'vitest';

import { once } from './once.ts';

test('a value is made once', () => {
  let made = 0;
  const get = once(() => ({ number: ++made }));
  expect([get().number, get().number]).toEqual([1, 1]);
});

test('a promise that rejects is made again, and one that resolves is kept', async () => {
  let made = 0;
  const get = once(async () => {
    if (++made === 1) throw new Error('the file is away');
    return made;
  });
  const both = [get(), get()];
  await expect(Promise.allSettled(both)).resolves.toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  await expect(get()).resolves.toBe(2);
  await expect(get()).resolves.toBe(2);
  expect(made).toBe(2);
});
