import { expect, test } from 'vitest';

import { guideExamples, languageGuide } from './guide.ts';
import { checkWorkflow } from './parseWorkflow.ts';

test.each(guideExamples)('an example of the guide has no finding: $about', ({ text }) => {
  expect(checkWorkflow(text).findings).toEqual([]);
});

test('the guide is short enough to be read at once, and names every function', () => {
  const guide = languageGuide();
  expect(guide.length).toBeLessThan(20_000);
  expect(guide).toContain('`split(text, separator, most?)`');
});

test.each([
  'optional: true',
  'inputs.?',
  '[?',
  'distribute: true',
  'until: first',
  'await: false',
  'failIf:',
  'defaults:',
  '.?steps',
  'check: {',
  'happened:',
  'budget:',
  'dedupe:',
  'catchUp:',
  'concurrency:',
  'baton://docs/',
])('the guide has %s, which many tasks need', (text) => {
  expect(languageGuide()).toContain(text);
});
