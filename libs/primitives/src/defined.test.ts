import { expect, test } from 'vitest';

import { defined } from './defined.ts';

test('an object keeps only the members that have a value', () => {
  const members: { hint?: string | undefined; count: number | null } = { hint: undefined, count: 0 };
  expect(defined(members)).toEqual({ count: 0 });
  expect('hint' in defined(members)).toBe(false);
  expect(defined({ count: null, text: '', isOpen: false })).toEqual({ count: null, text: '', isOpen: false });
});
