import { expect, test } from 'vitest';

import { Semaphore } from './semaphore.ts';

const never = new AbortController().signal;

test('no more permits are taken than there are, and waiters get them in order', async () => {
  const permits = new Semaphore(2);
  const first = await permits.take(never);
  await permits.take(never);
  const order: string[] = [];
  const third = permits.take(never).then((give) => (order.push('third'), give));
  const fourth = permits.take(never).then((give) => (order.push('fourth'), give));
  expect(permits.waiting).toBe(2);
  first();
  (await third)();
  await fourth;
  expect(order).toEqual(['third', 'fourth']);
});

test('giving a permit back twice frees one permit', async () => {
  const permits = new Semaphore(1);
  const give = await permits.take(never);
  give();
  give();
  await permits.take(never);
  const waiting = new AbortController();
  const second = permits.take(waiting.signal);
  expect(permits.waiting).toBe(1);
  waiting.abort(new Error('enough'));
  await expect(second).rejects.toThrow('enough');
});

test('an aborted waiter takes no permit', async () => {
  const permits = new Semaphore(1);
  const give = await permits.take(never);
  const impatient = new AbortController();
  const given = permits.take(impatient.signal);
  const patient = permits.take(never);
  impatient.abort(new Error('enough'));
  await expect(given).rejects.toThrow('enough');
  give();
  await expect(patient).resolves.toBeTypeOf('function');
  await expect(permits.take(AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
});

test('tryTake waits for nothing', () => {
  const permits = new Semaphore(1);
  const release = permits.tryTake();
  expect(permits.tryTake()).toBeUndefined();
  release?.();
  expect(permits.tryTake()).toBeDefined();
});
