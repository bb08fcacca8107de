import { expect, test } from 'vitest';

import { fromCreateMessage, toCreateMessage } from './completionCreate.ts';

test('a question without a model or a limit is one', () => {
  expect(toCreateMessage({ messages: [{ role: 'user', content: { type: 'text', text: 'x' } }] })).toEqual({
    maxTokens: 1_000,
    messages: [{ role: 'user', content: { type: 'text', text: 'x' } }],
  });
  expect(toCreateMessage({ messages: 'x' })).toMatchObject({ messages: [] });
});

test.each([
  ['endTurn', 'end_turn'],
  ['maxTokens', 'max_tokens'],
  ['stop_sequence', 'stop_sequence'],
  [undefined, 'end_turn'],
])('the reason %s is %s', (stopReason, said) => {
  const result = fromCreateMessage({ content: [], model: 'm', ...(stopReason === undefined ? {} : { stopReason }) });
  expect(result).toEqual({ content: [], model: 'm', stopReason: said });
});
