import { expect, test } from 'vitest';

import { EventHooks } from './eventHooks.ts';

test('Deliveries of one poll write one after another, also after one that failed; those of another poll do not wait.', async () => {
  const hooks = new EventHooks({ publicUrl: 'https://baton.example', keys: [Buffer.alloc(32)] });
  const { signal } = new AbortController();
  const { promise: isAway, reject: goAway } = Promise.withResolvers<void>();
  const order: string[] = [];
  const write = (what: string) => async (): Promise<void> => void order.push(what);
  const first = hooks.inTurn('a.x', signal, () => isAway.finally(() => void order.push('first')));
  const second = hooks.inTurn('a.x', signal, write('second'));
  await hooks.inTurn('b.x', signal, write('other'));
  goAway(new Error('the store is away'));
  await expect(first).rejects.toThrow('the store is away');
  await second;
  await hooks.inTurn('a.x', signal, write('third'));
  expect(order).toEqual(['other', 'first', 'second', 'third']);
});
