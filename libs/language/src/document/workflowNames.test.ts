import { array, assert, constantFrom, property } from 'fast-check';
import { expect, test } from 'vitest';

import { isName, respell } from './nameForms.ts';
import { matchesWorkflow, projectOf, workflowPatternFault, workflowSelection } from './workflowNames.ts';

const part = 'a'.repeat(63);

test.each(['refunds', 'payments/refunds', '4/3-2/1', 'a/b/c/d', [part, part, part, part].join('/')])(
  'a workflow can be called %s',
  (name) => {
    expect(isName('workflow', name)).toBe(true);
    expect(isName('child', `${name}@3`)).toBe(true);
  },
);

test.each(['', '/', '/a', 'a/', 'a//b', 'a/b/c/d/e', 'a/-b', 'A/b', 'a/../b', 'a/b.c', `a/${part}a`, 'a/b ', 'a/*'])(
  'no workflow can be called %j',
  (name) => {
    expect(isName('workflow', name)).toBe(false);
  },
);

test.each([
  ['Payments/Eu Refunds', 'payments/eu-refunds'],
  ['/payments//refunds/', 'payments/refunds'],
  ['payments\\refunds', 'payments/refunds'],
])('for the workflow name %j the nearest valid one is %s', (written, meant) => {
  expect(respell('workflow', written)).toBe(meant);
});

test('the project of a workflow is the first part of its name, and default without a slash', () => {
  expect(['refunds', 'payments/refunds', 'payments/eu/refunds'].map(projectOf)).toEqual([
    'default',
    'payments',
    'payments',
  ]);
});

test.each([
  ['payments/**', 'payments/*'],
  ['payments/', 'payments/*'],
  ['payments*', 'payments/*'],
  ['**', '*'],
  ['Payments/*', 'payments/*'],
  ['payments/*/refunds', 'payments/*'],
])('the wrong pattern %j is refused with the nearest one, %s', (written, meant) => {
  expect(workflowPatternFault(written)).toContain(`did you mean "${meant}"?`);
});

test.each([
  [['*'], 'session', true],
  [['session'], 'session', true],
  [['default/*'], 'session', false],
  [['default/*'], 'refunds', true],
  [['default/*'], 'default/refunds', true],
  [['default/*'], 'payments/refunds', false],
  [['payments/*'], 'payments', false],
  [['payments/*'], 'payments-eu/refunds', false],
  [['payments/*'], 'payments/eu/refunds', true],
  [['payments/eu/*'], 'payments/refunds', false],
  [[], 'refunds', false],
])('the patterns %j match %s: %j', (patterns, workflow, isMatch) => {
  expect(matchesWorkflow(patterns, workflow)).toBe(isMatch);
});

/**
 * Goal: a pattern reaches exactly one subtree, so that one project never reaches into another.
 *
 * Method: names and patterns of few different parts, so that starts of parts and of paths meet; a pattern as a list of
 * parts is compared with the name as a list of parts.
 */
test('a pattern matches the workflows below its path, and no others', () => {
  const path = array(constantFrom('a', 'ab', 'a-b', 'b'), { minLength: 1, maxLength: 4 });
  assert(
    property(path, path, (name, start) => {
      const pattern = `${start.slice(0, 3).join('/')}/*`;
      const isBelow = name.length > start.slice(0, 3).length && start.slice(0, 3).every((one, at) => one === name[at]);
      expect(workflowPatternFault(pattern)).toBeUndefined();
      expect(matchesWorkflow([pattern], name.join('/'))).toBe(isBelow);
      expect(matchesWorkflow([start.join('/')], name.join('/'))).toBe(start.join('/') === name.join('/'));
    }),
  );
});

test('a selection of all workflows is none', () => {
  expect(workflowSelection(['payments/*', '*'])).toBeUndefined();
});
