import { expect, test } from 'vitest';

import type { Hint } from '../ports/bus.ts';
import { HintOutbox } from './hintOutbox.ts';

function collected(): { readonly sent: (readonly Hint[])[]; readonly outbox: HintOutbox } {
  const sent: (readonly Hint[])[] = [];
  return { sent, outbox: new HintOutbox((hints) => sent.push(hints)) };
}

test('hints of one turn are sent together, with the highest position of each run', async () => {
  const { sent, outbox } = collected();
  outbox.put({ runId: 'a', seq: 2 }, 'now');
  outbox.put({ runId: 'b', seq: 1 }, 'soon');
  outbox.put({ runId: 'a', seq: 3, isLast: true }, 'now');
  outbox.put({ runId: 'a', seq: 1 }, 'soon');
  await expect.poll(() => sent).not.toEqual([]);
  expect(sent).toEqual([
    [
      { runId: 'a', seq: 3, isLast: true },
      { runId: 'b', seq: 1 },
    ],
  ]);
});

test('a hint without a reader is sent, too, at the latest with the next urgent one', async () => {
  const { sent, outbox } = collected();
  outbox.put({ runId: 'a', seq: 1 }, 'soon');
  await expect.poll(() => sent).toEqual([[{ runId: 'a', seq: 1 }]]);
  outbox.put({ runId: 'a', seq: 2 }, 'soon');
  outbox.put({ runId: 'b', seq: 1 }, 'now');
  await expect.poll(() => sent.flat()).toHaveLength(3);
});

test('a closed outbox sends nothing', async () => {
  const { sent, outbox } = collected();
  outbox.put({ runId: 'a', seq: 1 }, 'now');
  outbox.close();
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  expect(sent).toEqual([]);
});

test('hints of one run become one hint, for all readers of any of them', async () => {
  const { sent, outbox } = collected();
  outbox.put({ runId: 'a', seq: 3 }, 'now');
  outbox.put({ runId: 'a', seq: 4, isLast: true, isOwn: true }, 'now');
  outbox.put({ runId: 'b', seq: 2, isOwn: true }, 'soon');
  outbox.put({ runId: 'b', seq: 1, isOwn: true }, 'soon');
  await expect.poll(() => sent).not.toEqual([]);
  expect(sent).toEqual([
    [
      { runId: 'a', seq: 4, isLast: true },
      { runId: 'b', seq: 2, isOwn: true },
    ],
  ]);
});
