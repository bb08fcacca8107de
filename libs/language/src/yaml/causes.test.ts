import { expect, test } from 'vitest';

import { checkWorkflow } from '../parseWorkflow.ts';

const found = (steps: string): unknown[] =>
  checkWorkflow(`workflow: w\nsteps:\n${steps}`).findings.map(({ code, line, hint }) => [code, line, hint]);

test('a line that is indented wrongly is one finding, and a second mistake another', () => {
  const first = '  - id: a\n   set: { x: 1 }\n    timeout: 5s\n';
  const one = ['yaml-indent', 4, 'give the keys of an item the same indentation'];
  expect(found(first)).toEqual([one]);
  expect(found(`${first}  - id: b\n    set: "open\n`)).toEqual([one, ['yaml-syntax', 7, 'add the closing quote']]);
  expect(found(`${first}  - id: b\n    set: { y: 1 }\n   title: x\n`).map((each) => (each as unknown[])[1])).toEqual([
    4, 8,
  ]);
});

test('tabs are one finding, with the number of lines', () => {
  const { findings } = checkWorkflow('workflow: w\nsteps:\n\t- id: a\n\t\tset:\n\t\t\tx: 1\n');
  expect(findings.map(({ code, line }) => [code, line])).toEqual([['yaml-tab', 3]]);
  expect(findings[0]?.message).toContain('2 more lines begin so.');
});

test('keys that are indented too little are told where the key before them has no value', () => {
  const hint = 'indent "message" further if it belongs to "with"';
  expect(found('  - tool: a/b\n    with:\n    message: hi\n    level: 2\n')).toEqual([['wrong-type', 4, hint]]);
  // A misspelt key of the step is a mistake of its own.
  expect(found('  - tool: a/b\n    with:\n    timeuot: 5s\n')).toEqual([
    ['wrong-type', 4, undefined],
    ['unknown-key', 5, 'did you mean "timeout"?'],
  ]);
});

test('a quote that ends its text is marked, also where the rest of a long file is not YAML because of it', () => {
  const more = '  - id: b\n    set: { a: 1, c: [1, 2] }\n    retry: { attempts: 3, delay: 1s }\n';
  const { findings } = checkWorkflow(
    `workflow: w\nsteps:\n  - tool: a/b\n    with: { c: "\${{ a + "0" + b }}" }\n${more.repeat(30)}`,
  );
  expect(findings).toMatchObject([
    { code: 'yaml-syntax', line: 4, column: 26, message: 'The value has ended before this.' },
  ]);
});
