import { expect, test } from 'vitest';

import { shortIds } from './shortId.ts';

test('Ids are shortened to 13 characters, or to as many more as keep them apart; equal ids need none.', () => {
  const ids = ['0199aaaa-0000-7111-a', '0199aaaa-0000-7121-b', '0199bbbb-0000-7333-c'];
  const shortened = ['0199aaaa-0000-711', '0199aaaa-0000-712', '0199bbbb-0000-733'];
  expect(ids.map(shortIds(ids))).toEqual(shortened);
  expect(ids.slice(1).map(shortIds(ids.slice(1)))).toEqual(['0199aaaa-0000', '0199bbbb-0000']);
  expect(shortIds([ids[0] ?? '', ids[0] ?? ''])(ids[0] ?? '')).toBe('0199aaaa-0000');
});
