import { expect, test } from 'vitest';

import { checkWorkflow } from '../parseWorkflow.ts';

const workflow = `workflow: w
on: [{ webhook: ci, secret: CI_HOOK }]
steps:
  - { id: a, tool: s/t, with: { token: "\${{ secrets.TOKN }}" } }
`;

const told = (secrets?: ReadonlySet<string>) =>
  checkWorkflow(workflow, secrets && { secrets })
    .findings.filter(({ code }) => code === 'unknown-secret')
    .map(({ severity, line, message, hint }) => [severity, line, message, hint]);

test('a secret that is not stored yet is warned of, with the nearest one or the command that sets it', () => {
  expect(told(new Set(['TOKEN']))).toEqual([
    ['warning', 2, 'No secret "CI_HOOK" is stored yet.', 'set it with `baton secrets set CI_HOOK`'],
    ['warning', 4, 'No secret "TOKN" is stored yet.', 'did you mean "TOKEN"?'],
  ]);
});

test('a secret that is stored, or of which nothing is known, is not spoken of', () => {
  expect(told(new Set(['CI_HOOK', 'TOKN']))).toEqual([]);
  expect(told()).toEqual([]);
});
