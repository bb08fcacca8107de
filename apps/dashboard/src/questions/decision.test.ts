import { expect, test } from 'vitest';

import { decisionOf, expiredText } from './decision.ts';

const form = (properties: object, required: readonly string[] = []) =>
  ({ type: 'object', properties, required }) as never;
const approve = form({ approve: { type: 'boolean' }, note: { type: 'string' } }, ['approve']);

test('A question asks for a decision where its first field is a boolean, and for that alone where no other is required.', () => {
  expect(decisionOf(approve)).toEqual({ name: 'approve', yes: 'Approve', no: 'Reject', isAlone: true });
  const both = form({ sure: { type: 'boolean' }, why: { type: 'string' } }, ['sure', 'why']);
  expect(decisionOf(both)).toEqual({ name: 'sure', yes: 'Yes', no: 'No', isAlone: false });
  expect(decisionOf(form({ happened: { type: 'boolean' } }))).toMatchObject({ isAlone: false });
  expect(decisionOf(form({ note: { type: 'string' } }))).toBeUndefined();
  expect(decisionOf(undefined as never)).toBeUndefined();
});

test.each([
  [approve, undefined, 'without an answer by then, the step fails'],
  [approve, { approve: false }, 'without an answer by then, it counts as rejected'],
  [approve, { approve: true, note: 'late' }, 'without an answer by then, it counts as approved'],
  [form({ sure: { type: 'boolean' } }), { sure: false }, 'without an answer by then, it counts as “No”'],
  [
    form({ day: { type: 'string' } }),
    { day: 'Monday', n: 3 },
    'without an answer by then, the answer is day: Monday, n: 3',
  ],
  [form({}), ['a'], 'without an answer by then, the answer is ["a"]'],
  [approve, { approve: 'no boolean' }, 'without an answer by then, the answer is approve: no boolean'],
])('What follows of %j that expires with %j is said in words.', (asked, onExpire, text) => {
  expect(expiredText(asked, onExpire)).toBe(text);
});
