import { planOf } from '@baton/testing';
import { expect, test } from 'vitest';

import { strongestEffectOf } from './effects.ts';

const effects = { 'bank/get': 'read', 'bank/set': 'idempotent' } as const;

const effectOfSteps = (steps: string): string =>
  strongestEffectOf(
    planOf(`workflow: w\ninputs: { amount: { type: number }, accounts: { type: array } }\nsteps:\n${steps}`, effects),
  );

const now = '  - { id: now, tool: bank/get }\n';

test.each([
  ['a constant', '  - { tool: bank/set, with: { value: 3 } }'],
  ['an input', '  - { tool: bank/set, with: { value: "${{ inputs.amount }}" } }'],
  [
    'what is computed of inputs',
    '  - { id: more, set: { v: "${{ inputs.amount + 1.0 }}" } }\n  - { tool: bank/set, with: { value: "${{ steps.more.v }}" } }',
  ],
  [
    'items of inputs',
    '  - { forEach: "${{ inputs.accounts }}", steps: [{ tool: bank/set, with: { a: "${{ item }}", i: "${{ index }}" } }] }',
  ],
  ['a condition on inputs', '  - { if: inputs.amount > 3, tool: bank/set }'],
  ['a read beside it', `${now}  - { tool: bank/set, with: { value: 3 } }`],
])('idempotent calls with %s make an idempotent workflow', (_, steps) => {
  expect(effectOfSteps(steps)).toBe('idempotent');
});

test.each([
  [
    'what a call gave',
    `${now}  - { tool: bank/set, with: { value: "\${{ steps.now.output.balance + inputs.amount }}" } }`,
  ],
  [
    'what was made of it',
    `${now}  - { id: more, set: { v: "\${{ steps.now.output.balance }}" } }\n  - { tool: bank/set, with: { value: "\${{ steps.more.v }}" } }`,
  ],
  [
    'items of it',
    `${now}  - { forEach: "\${{ steps.now.output.list }}", steps: [{ tool: bank/set, with: { a: "\${{ item }}" } }] }`,
  ],
  ['a condition on it', `${now}  - { if: steps.now.output.off, tool: bank/set, with: { on: true } }`],
  [
    'a case of it',
    `${now}  - { switch: [{ when: steps.now.output.off, steps: [{ tool: bank/set, with: { on: true } }] }, { else: [{ tool: bank/set }] }] }`,
  ],
  [
    'an answer',
    '  - { id: q, ask: How much?, form: { n: { type: number } } }\n  - { tool: bank/set, with: { n: "${{ steps.q.output.n }}" } }',
  ],
  ['the run itself', '  - { tool: bank/set, with: { id: "${{ run.id }}" } }'],
])('with %s they do not: a second run may do something else', (_, steps) => {
  expect(effectOfSteps(steps)).toBe('write');
});

test('a child run, of which nothing is known here, makes a workflow that writes', () => {
  expect(effectOfSteps('  - { workflow: other }')).toBe('write');
});
