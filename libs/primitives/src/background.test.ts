import { expect, test } from 'vitest';

import { background } from './background.ts';

test('the error of work that nothing waits for goes to its handler, and is an error also where a text was thrown', async () => {
  const errors: Error[] = [];
  const cause = new TypeError('no');
  background(Promise.resolve(1), (error) => errors.push(error));
  background(Promise.reject(cause), (error) => errors.push(error));
  // oxlint-disable-next-line prefer-promise-reject-errors -- as foreign code does.
  background(Promise.reject('text'), (error) => errors.push(error));
  await expect.poll(() => errors).toEqual([cause, new Error('text')]);
});
