import { expect, test } from 'vitest';

import { checkWorkflow } from '../parseWorkflow.ts';
import type { DecidedEffect, Effect } from '../plan.ts';

const reported = (stated: Effect, known: DecidedEffect | undefined): DecidedEffect | undefined => {
  const text = `workflow: w\nsteps:\n  - { tool: shop/pay, effect: ${stated} }\n`;
  return checkWorkflow(text, { effects: () => known }).report?.calls[0]?.effect;
};

test.each([
  ['read', 'write', 'write'],
  ['read', 'idempotent', 'idempotent'],
  ['idempotent', 'write', 'write'],
  ['write', 'read', 'write'],
  ['read', 'read', 'read'],
] as const)('a check shows a step that says %s of a tool whose server says %s as %s', (stated, known, shown) => {
  expect(reported(stated, { effect: known, from: 'annotations' })?.effect).toBe(shown);
});

test('a check shows what the step says where nothing is known of its tool', () => {
  expect(reported('read', undefined)).toEqual({ effect: 'read', from: 'step' });
});
