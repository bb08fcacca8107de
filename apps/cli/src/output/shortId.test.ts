import { expect, test } from 'vitest';

import { shortIds } from './shortId.ts';

test('an id is shortened unless another one begins so; one that is there twice is not another', () => {
  const [one, other, third] = ['0199aaaa-0000-1', '0199aaaa-0000-2', '0199bbbb-0000-3'];
  expect([one, other, third].map(shortIds([one, other, third]))).toEqual([one, other, '0199bbbb-0000']);
  expect(shortIds([one, one])(one)).toBe('0199aaaa-0000');
});
