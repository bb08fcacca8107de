import { expect, test } from 'vitest';

import { systemClock } from '../ports/clock.ts';
import { UnavailableError } from '../ports/journal.ts';
import { RunCount } from './runCount.ts';

const limit = 10;

/** A count of which each answer is given by the test. */
function counts() {
  let nowMs = 0;
  const asked: PromiseWithResolvers<ReadonlyMap<string, number>>[] = [];
  const runs = new RunCount({
    count: () => {
      const answer = Promise.withResolvers<ReadonlyMap<string, number>>();
      asked.push(answer);
      return answer.promise;
    },
    clock: { ...systemClock, monotonic: () => nowMs },
  });
  const begun: string[] = [];
  const start = (name: string, until?: Promise<void>): Promise<unknown> =>
    runs.within('key', limit, async () => {
      begun.push(name);
      await until;
      return { isNew: true };
    });
  const answer = async (unfinished: number): Promise<void> => {
    asked.at(-1)?.resolve(new Map([['key', unfinished]]));
    await new Promise(setImmediate);
  };
  const pass = (ms = 900): void => void (nowMs += ms);
  return { asked, begun, start, answer, pass };
}

test('the first start waits for a count; the next count is made before that one is stale, and none waits for it', async () => {
  const { asked, begun, start, answer, pass } = counts();
  const first = start('first');
  expect(begun).toEqual([]);
  await answer(0);
  await first;
  pass();
  await Promise.all([start('second'), start('third')]);
  expect(begun).toEqual(['first', 'second', 'third']);
  expect(asked).toHaveLength(2);
});

test('a source at its limit waits for the count in progress', async () => {
  const { begun, start, answer, pass } = counts();
  const first = start('first');
  await answer(9);
  await first;
  pass();
  const second = start('second');
  await new Promise(setImmediate);
  expect(begun).toEqual(['first']);
  await answer(9);
  await second;
  expect(begun).toEqual(['first', 'second']);
  pass();
  const third = start('third');
  await answer(10);
  expect(await third).toBeUndefined();
});

test.each(['accepted', 'still being started'])(
  'a run that was started during a count, and may be in it, does not make the next be refused: %s',
  async (state) => {
    const { asked, begun, start, answer, pass } = counts();
    const first = start('first');
    await answer(0);
    await first;
    pass();
    const { promise, resolve } = Promise.withResolvers<void>();
    const second = start('second', promise);
    if (state === 'accepted') {
      resolve();
      await second;
    }
    await answer(9);
    const third = start('third');
    await new Promise(setImmediate);
    expect(begun).toEqual(['first', 'second']);
    resolve();
    await second;
    await answer(9);
    if (state === 'still being started') await answer(9);
    expect(await third).toBeDefined();
    const counted = asked.length;
    expect(await start('fourth')).toBeUndefined();
    expect(asked).toHaveLength(counted);
  },
);

test('while a start takes long, others of its source are refused after two more counts', async () => {
  const { asked, begun, start, answer, pass } = counts();
  const first = start('first');
  await answer(0);
  await first;
  pass();
  void start('slow', new Promise(() => {}));
  await answer(9);
  const third = start('third');
  await new Promise(setImmediate);
  await answer(9);
  await answer(9);
  expect(await third).toBeUndefined();
  expect(asked).toHaveLength(4);
  expect(await start('fourth')).toBeUndefined();
  expect(asked).toHaveLength(4);
  expect(begun).toEqual(['first', 'slow']);
});

test('a start waits for a count where the last one is more than a second old', async () => {
  const { begun, start, answer, pass } = counts();
  const first = start('first');
  await answer(0);
  await first;
  pass(1_100);
  const second = start('second');
  await new Promise(setImmediate);
  expect(begun).toEqual(['first']);
  await answer(limit);
  expect(await second).toBeUndefined();
});

test.each([new UnavailableError('away'), new Error('permission denied')])(
  'a count that fails (%s) ends no process; a start that waits for one is told',
  async (failure) => {
    const { asked, begun, start, answer, pass } = counts();
    const first = start('first');
    await answer(0);
    await first;
    pass();
    await start('second');
    asked.at(-1)?.reject(failure);
    await new Promise(setImmediate);
    pass();
    const third = start('third');
    asked.at(-1)?.reject(failure);
    await expect(third).rejects.toBe(failure);
    expect(begun).toEqual(['first', 'second']);
    expect(asked).toHaveLength(3);
  },
);
