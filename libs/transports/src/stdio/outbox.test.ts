import { Writable } from 'node:stream';

import { expect, test } from 'vitest';

import { Outbox } from './outbox.ts';

/** A pipe that takes one write at a time, when it is told to. */
function slowPipe() {
  const written: string[] = [];
  const taken: (() => void)[] = [];
  const pipe = new Writable({
    highWaterMark: 1,
    decodeStrings: false,
    write: (text: string, _, done) => {
      written.push(text);
      taken.push(done);
    },
  });
  const take = async (): Promise<void> => {
    taken.shift()?.();
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  };
  return { outbox: new Outbox(pipe), written, take };
}

test('messages that the pipe does not take are kept, can be removed, and leave in order', async () => {
  const { outbox, written, take } = slowPipe();
  for (const id of [1, 2, 3, 4]) outbox.put(`message ${id};`, id);
  expect([1, 2, 3, 4].map((id) => outbox.holds(id))).toEqual([false, true, true, true]);
  await take();
  expect(written).toEqual(['message 1;']);
  outbox.takeBack(3);
  outbox.put('no caller waits for this;');
  await take();
  expect(written).toEqual(['message 1;', 'message 2;message 4;no caller waits for this;']);
  expect([2, 3, 4].some((id) => outbox.holds(id))).toBe(false);
});

test('what is kept for a server that does not read is limited', async () => {
  const { outbox, take } = slowPipe();
  const large = 'x'.repeat(50 * 1024 * 1024);
  expect([1, 2, 3].map((id) => outbox.put(large, id))).toEqual([true, true, true]);
  expect(outbox.put(large, 4)).toBe(false);
  outbox.takeBack(2);
  expect(outbox.put(large, 5)).toBe(true);
  await take();
  await take();
  expect(outbox.put(large, 6)).toBe(true);
});

test('messages of one turn leave in one write', async () => {
  const written: string[][] = [];
  const pipe = new Writable({
    decodeStrings: false,
    writev: (chunks, done) => {
      written.push(chunks.map(({ chunk }) => String(chunk)));
      done();
    },
  });
  const outbox = new Outbox(pipe);
  outbox.put('one;');
  await Promise.resolve();
  outbox.put('two;');
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  outbox.put('three;');
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  expect(written).toEqual([['one;', 'two;'], ['three;']]);
});
