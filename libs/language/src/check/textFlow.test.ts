import { expect, test } from 'vitest';

import { checkWorkflow } from '../parseWorkflow.ts';

const calling = (effect: string): string => `
workflow: w
on: [{ webhook: ci, secret: CI_HOOK, inputs: { name: "\${{ event.body.name }}" } }]
inputs: { name: { type: string } }
steps: [{ tool: files/hash, effect: ${effect}, with: { text: "\${{ inputs.name }}" } }]
`;

test('words that reach a write are told, with the way out for a tool that only reads', () => {
  const told = checkWorkflow(calling('write')).findings.filter(({ code }) => code === 'words-reach-write');
  expect(told).toHaveLength(1);
  expect(told[0]?.hint).toContain('if the tool only reads, `effect: read` says so');
  expect(checkWorkflow(calling('read')).findings.map(({ code }) => code)).not.toContain('words-reach-write');
});
