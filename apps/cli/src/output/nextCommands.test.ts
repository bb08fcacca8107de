import { expect, test } from 'vitest';

import { nextCommands } from './nextCommands.ts';

const retry = 'baton runs retry RUN --happened STEP (--not-happened STEP)';

test.each([
  [[{}], retry],
  [[{ question: 'q' }], 'baton answer RUN'],
  [[{}, { question: 'q' }], `baton answer RUN, or ${retry}`],
])('Below lost calls an answer is offered only where a question is open: %j', (calls, words) => {
  expect(nextCommands(calls)).toBe(words);
});
