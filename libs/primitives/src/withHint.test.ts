import { expect, test } from 'vitest';

import { withHint } from './withHint.ts';

test.each([
  [undefined, 'There is no tool "a".'],
  ['did you mean "b"?', 'There is no tool "a". Did you mean "b"?'],
  ['write the keys out', 'There is no tool "a". Write the keys out.'],
  ['"b" has it', 'There is no tool "a". "b" has it.'],
])('a hint after a sentence is one: %s', (hint, text) => {
  expect(withHint('There is no tool "a".', hint)).toBe(text);
});
