import { expect, test } from 'vitest';

import { shownProps } from './jsxRuntime.ts';
import { shownText } from './shownText.ts';

test('marks of direction and control characters are shown as JSON writes them', () => {
  expect(shownText('a\u202Eb\u001B[31m\tc\n')).toBe(String.raw`a\u202eb\u001b[31m` + '\tc\n');
});

test('all text of an element is shown so, also in lists inside its children', () => {
  const given = { title: '\u202E', children: ['a', ['b', ['\u2066']]] };
  expect(shownProps('p', given)).toMatchObject({
    title: String.raw`\u202e`,
    children: ['a', ['b', [String.raw`\u2066`]]],
  });
  expect(shownProps('input', { placeholder: 'a\u200Bb', value: '\u202E' })).toEqual({
    placeholder: String.raw`a\u200bb`,
    value: '\u202E',
  });
  const plain = { title: 'a', children: ['b'] };
  expect(shownProps('p', plain)).toBe(plain);
});
