import { expect, test } from 'vitest';

import { githubMarks, n8nMarks, onlyExpression, partsOf, withoutExpressions } from './marked.ts';

test('texts and expressions come in turn', () => {
  expect(partsOf('a {{ b }}{{ c }} }}', n8nMarks)).toEqual(['a ', ' b ', '', ' c ', ' }}']);
  expect(partsOf('no more {{ than an opening', n8nMarks)).toEqual(['no more {{ than an opening']);
  expect(withoutExpressions('Test on ${{ matrix.os }}', githubMarks)).toBe('Test on …');
});

test('a text that is one expression, and nothing else, is told from others', () => {
  expect(onlyExpression(' ${{ a }}\n', githubMarks)).toBe(' a ');
  expect(['${{ a }}!', '${{ a }}${{ b }}', 'a', '${{ a'].map((text) => onlyExpression(text, githubMarks))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('a mark within quotes of GitHub ends no expression', () => {
  expect(partsOf("${{ format('{{{0}}}', a) }} b ${{ 'c }}", githubMarks)).toEqual([
    '',
    " format('{{{0}}}', a) ",
    ' b ',
    " 'c ",
    '',
  ]);
});

test('marks without an end cost one pass, in a text as long as a file may be', () => {
  const text = '{{'.repeat(250_000);
  expect(partsOf(text, n8nMarks)).toEqual([text]);
  const quoted = "${{ 'a }}' ".repeat(40_000);
  expect(partsOf(quoted, githubMarks)).toHaveLength(80_001);
});
