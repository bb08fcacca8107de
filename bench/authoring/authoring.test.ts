import { expect, test } from 'vitest';

import { figuresOf, scripted, work } from './author.ts';
import { judgeAttempt } from './judgeAttempt.ts';
import { tasks } from './tasks.ts';

test('there are forty tasks, each with a name of its own', () => {
  expect(new Set(tasks.map(({ name }) => name)).size).toBe(40);
});

test.each(tasks)('the last attempt at $name is right, and every one before is wrong', (task) => {
  const judged = task.attempts.map((source) => judgeAttempt(task, source));
  expect(judged.at(-1)).toEqual({ isRight: true, findings: [], why: [] });
  expect(judged.slice(0, -1).some(({ isRight }) => isRight)).toBe(false);
});

test('a scripted author gets by on what the checker says, but for slips that only the hidden cases see', async () => {
  const results = [];
  for (const task of tasks) results.push(await work(scripted, task));
  // `ask-first` is first handed in without its condition: nothing is wrong with the text.
  expect(results.filter(({ isRight }) => !isRight).map(({ task }) => task.split(' ')[0])).toEqual(
    Array(5).fill('ask-first'),
  );
  expect(figuresOf(results)).toMatchObject({ tasks: 40, right: 35, rightFirst: 10 });
});
