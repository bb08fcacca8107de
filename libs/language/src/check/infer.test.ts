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

test.each([
  ['a map without the key', '{}', ['may-be-missing']],
  ['a text', '"none"', ['may-be-missing']],
  ['a map with the key', '{"id": 2}', []],
])('A key of a value that may be %s is in doubt as far as it may be missing', (_, other, codes) => {
  const set = { id: `\${{ (inputs.t == "" ? {"id": 1} : ${other}).id }}` };
  const file = { workflow: 'w', inputs: { t: { type: 'string' } }, steps: [{ set }] };
  expect(checkWorkflow(JSON.stringify(file)).findings.map(({ code }) => code)).toEqual(codes);
});
