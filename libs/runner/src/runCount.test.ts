import { expect, test } from 'vitest';

import { systemClock } from './ports/clock.ts';
import { UnavailableError } from './ports/journal.ts';
import { RunCount } from './runCount.ts';

const limit = 10;

/** A count of which each answer is given by the test, a second and more after the one before. */
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
  const pass = (): void => void (nowMs += 2_000);
  return { asked, begun, start, answer, pass };
}

test('the first start waits for a count, later ones of a source that is far from its limit do not', async () => {
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

test('a count that Postgres does not answer refuses no start, and the next start asks again', async () => {
  const { asked, begun, start, answer, pass } = counts();
  const first = start('first');
  await answer(0);
  await first;
  pass();
  await start('second');
  asked.at(-1)?.reject(new UnavailableError('away'));
  await new Promise(setImmediate);
  await start('third');
  expect(begun).toEqual(['first', 'second', 'third']);
  expect(asked).toHaveLength(3);
});
