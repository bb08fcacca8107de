import { expect, test } from 'vitest';

import { repeatedCallText } from './printRerunResult.ts';

const lost = { path: 'pay', verb: 'tool', target: 'bank/pay', effect: 'write', outcome: 'unknown' } as const;

test.each([
  [undefined, 'and nothing looks whether it did'],
  [{ by: 'check', target: 'bank/find' }, 'may have happened before: its outcome is looked up first with bank/find'],
  [{ by: 'check' }, 'may have happened before: its outcome is looked up first'],
  [{ by: 'person' }, 'may have happened before: a person is asked first whether it happened'],
] as const)('A call that may be repeated, with the look %j, is shown with it', (lookup, words) => {
  const text = repeatedCallText(lookup === undefined ? lost : { ...lost, lookup });
  expect(text).toContain(`pay: bank/pay (write), `);
  expect(text).toContain(words);
});

test('Of a call that may be repeated it is shown what was said of it before, by whom and when.', () => {
  const said = { happened: false, by: 'bob', at: new Date(Date.now() - 200_000).toISOString() };
  expect(repeatedCallText({ ...lost, said })).toContain('bob said 3 m ago that it did not happen');
});
