import { expect, test } from 'vitest';

import { systemClock } from './ports/clock.ts';
import { UnavailableError } from './ports/journal.ts';
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
  const start = (name: string): Promise<unknown> =>
    runs.within('key', limit, async () => {
      begun.push(name);
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

test('a source that may have reached its limit waits for the count', async () => {
  const { begun, start, answer, pass } = counts();
  const first = start('first');
  await answer(9);
  await first;
  pass();
  const second = start('second');
  await new Promise(setImmediate);
  expect(begun).toEqual(['first']);
  await answer(6);
  await second;
  expect(begun).toEqual(['first', 'second']);
  pass();
  const third = start('third');
  await answer(10);
  expect(await third).toBeUndefined();
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
