import { describe, expect, test } from 'vitest';

import { compileCondition } from './condition.ts';
import { functionExamples } from './functionExamples.ts';
import { functions, macros } from './functions.ts';

const examples = Object.values(functionExamples).flatMap((group) => Object.entries(group));

test('Each function and each form has one example.', () => {
  expect(examples.map(([name]) => name).toSorted()).toEqual([...functions.keys(), ...macros.keys()].toSorted());
});

describe('The example of a function calls it and gives what docs/expressions.md says.', () => {
  test.each(examples)('%s', (name, [source, result]) => {
    expect(source).toContain(`${name}(`);
    expect(compileCondition(source, '').evaluate({})).toEqual(result);
  });
});
