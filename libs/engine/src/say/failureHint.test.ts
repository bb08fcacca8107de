import { expect, test } from 'vitest';

import { failureCodes } from '../failure.ts';
import { failureHint } from './failureHint.ts';

test('a failure has the hint of its code, unless the message names a command', () => {
  const hint = failureHint({ code: 'timeout', message: 'No answer.' });
  expect(hint).toContain('`timeout`');
  expect(failureHint({ code: 'timeout', message: 'Try `baton doctor`.' })).toBeUndefined();
});

test('a failed expression has the hint that it carries', () => {
  const failed = { code: 'expression-failed', message: 'No.' };
  expect(failureHint({ ...failed, details: { hint: 'test it first' } })).toBe('test it first');
  expect(failureHint(failed)).toContain('correct the expression');
  expect(failureHint({ code: 'mine', message: 'No.', details: { hint: 'from elsewhere' } })).toBeUndefined();
});

test('The hint of an unknown outcome does not name the check that has just run', () => {
  const unknown = { code: 'outcome-unknown', message: 'Lost.' };
  expect(failureHint(unknown)).toContain('`ifUnknown: check`');
  expect(failureHint({ ...unknown, details: { checked: 'undecided' } })).toContain('its check could not say');
  expect(failureHint({ ...unknown, details: { checked: 'not-happened' } })).toContain('it did not happen');
  expect(failureHint({ ...unknown, details: { checked: 'toString' } })).toContain('`ifUnknown: check`');
});

test('each code has a hint, unless its message says all that Baton knows', () => {
  const without = Object.keys(failureCodes).filter((code) => failureHint({ code, message: '' }) === undefined);
  expect(without).toEqual(['tool-failed', 'workflow-failed', 'cancelled']);
});

test.each(['constructor', 'toString', '__proto__', 'mine'])('the code %s of a workflow has no hint', (code) => {
  expect(failureHint({ code, message: 'It is broken.' })).toBeUndefined();
});
