import { expect, test } from 'vitest';

import { instantTextFor } from './time.ts';

test('an instant in a list is relative for a person, and whole for a program', () => {
  const instant = new Date(Date.now() - 3 * 3_600_000 - 1_000).toISOString();
  expect(instantTextFor({ isTerminal: true })(instant)).toBe('3 h ago');
  expect(instantTextFor({ isTerminal: false })(instant)).toBe(instant);
  expect(instantTextFor({ isTerminal: true })('never')).toBe('never');
});
