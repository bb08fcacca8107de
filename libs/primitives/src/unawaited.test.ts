import { expect, test } from 'vitest';

import { unawaited } from './unawaited.ts';

test('Work that is not waited for may end well, and its rejection is an uncaught error', async () => {
  const uncaught = Promise.withResolvers<unknown>();
  const before = process.rawListeners('uncaughtException');
  process.removeAllListeners('uncaughtException').once('uncaughtException', uncaught.resolve);
  unawaited(Promise.resolve('well'));
  unawaited(Promise.reject(new Error('a bug')));
  expect(await uncaught.promise).toEqual(new Error('a bug'));
  for (const listener of before) process.on('uncaughtException', listener as () => void);
});
