import { expect, test } from 'vitest';

import { itemName } from './rowsOf.ts';

test.each([
  ['0', 'New York', '[0] New York'],
  ['1', { id: 7, name: 'Ada', town: 'London' }, '[1] Ada'],
  ['2', { id: 7, town: 'London' }, '[2] 7'],
  ['3', { town: 'London' }, '[3] {"town":"London"}'],
  ['4', ['a', 1], '[4] ["a",1]'],
  ['5', 'one line\nand a second one, which is long', '[5] one line and a second one, whic…'],
  ['6', false, '[6] false'],
  ['7', null, '[7]'],
  ['8', '', '[8]'],
  ['9', undefined, '[9]'],
  // As of `range(10)`: the value says nothing that the index does not.
  ['9', 9, '[9]'],
])('item %s of a forEach, %j, is called %s', (index, item, name) => {
  expect(itemName(index, item)).toBe(name);
});
