import { expect, test } from 'vitest';

import { checkWorkflow } from '../parseWorkflow.ts';

const inputs = { n: { type: 'integer', optional: true }, t: { type: 'string', optional: true }, l: { type: 'array' } };

test.each([
  ['inputs.?n + 1', 'inputs.?n'],
  ['1 - inputs.?n', 'inputs.?n'],
  ['-inputs.?n', 'inputs.?n'],
  ['inputs.?n > 1', 'inputs.?n'],
  ['upper(inputs.?t)', 'inputs.?t'],
  ['"a: " + inputs.?t', 'inputs.?t'],
  ['inputs.?n ? 1 : 2', 'inputs.?n'],
  ['1 in inputs.?n', 'inputs.?n'],
  ['inputs.l[?0] + 1', 'inputs.l[?0]'],
  ['inputs.l[inputs.?n]', 'inputs.?n'],
])('An optional access in place of its value gets the hint at orValue: %s', (source, access) => {
  const file = { workflow: 'w', inputs, steps: [{ set: { a: `\${{ ${source} }}` } }] };
  expect(checkWorkflow(JSON.stringify(file)).findings.map(({ code, hint }) => [code, hint])).toEqual([
    ['expression-type', `\`${access}.orValue(…)\` is the value, or a default where there is none`],
  ]);
});
