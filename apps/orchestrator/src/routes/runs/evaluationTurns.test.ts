import { expect, test } from 'vitest';

import { EvaluationTurns } from './evaluationTurns.ts';

/** A clock that stands still, and what is to happen later. */
function timing() {
  let now = 0;
  const later: { ms: number; callback: () => void }[] = [];
  const clock = {
    monotonic: () => now,
    after: (ms: number, callback: () => void) => {
      later.push({ ms, callback });
      return () => undefined;
    },
  };
  return { clock, later, pass: (ms: number) => (now += ms) };
}

test('expressions are tried one at a time, and the process rests three times as long as each computed', async () => {
  const { clock, later, pass } = timing();
  const turns = new EvaluationTurns(clock);
  const tried: string[] = [];
  const attempt = (key: string) =>
    turns.within(key, async (computing) => {
      tried.push(key);
      // Waits for Postgres: the process is free for others.
      pass(5_000);
      computing(() => pass(60));
      computing(() => pass(40));
    });
  await attempt('one');
  const next = attempt('two');
  await new Promise(setImmediate);
  expect([tried, later.map(({ ms }) => ms)]).toEqual([['one'], [300]]);
  later[0]?.callback();
  await next;
  expect(tried).toEqual(['one', 'two']);
});

test('a key tries four expressions at once; the fifth is refused, and that of another key is not', async () => {
  const { clock, later } = timing();
  const turns = new EvaluationTurns(clock);
  const attempt = (key: string) => turns.within(key, async () => key);
  const four = [attempt('one'), attempt('one'), attempt('one'), attempt('one')];
  await expect(attempt('one')).rejects.toThrow('This key tries 4 expressions already');
  const other = attempt('two');
  const all = Promise.all([...four, other]);
  for (let given = 0; given < 5; given += 1) {
    await expect.poll(() => later.length).toBe(given + 1);
    later[given]?.callback();
  }
  expect(await all).toEqual(['one', 'one', 'one', 'one', 'two']);
  const again = attempt('one');
  expect(await again).toBe('one');
});
