import { expect, test } from 'vitest';

import { definitionOf } from './definitions.ts';
import { planOf } from './plans.ts';

test('a plan holds the schemas that its tools were checked against, and nothing else of them', async () => {
  const source = 'workflow: w\nsteps:\n  - tool: files/read\n  - tool: files/write\n';
  const schemas = { inputSchema: { type: 'object' }, outputSchema: { type: 'object', required: ['text'] } };
  const plan = await planOf(
    definitionOf(source, 'yaml', {
      'files/read': {
        effect: 'read',
        from: 'server',
        contract: 'digest',
        definition: { ...schemas, description: 'Reads.' },
      },
      'files/write': { effect: 'write', from: 'default' },
    }),
  );
  const [read, write] = plan.steps.steps;
  expect(read).toMatchObject({ effect: { effect: 'read', from: 'server' } });
  expect(read?.verb === 'tool' && read.definition).toEqual(schemas);
  expect(write).not.toHaveProperty('definition');
});

test('a definition that is older than the second edition means what it meant, and has the digest that it had', async () => {
  const source = 'workflow: w\ninputs: { a: { optional: true } }\nsteps: [{ id: s, set: { a: "${{ inputs.?a }}" } }]\n';
  const [old, now] = [definitionOf(source, 'yaml', {}, 1), definitionOf(source, 'yaml', {})];
  expect(old.digest).toBe('sha256:652f42b769ae4c9b443ad50660630a277a7b3fcc382b27daf3339515b403ab7f');
  expect(now.digest).not.toBe(old.digest);
  const values = async (definition: typeof old): Promise<unknown> => {
    const [step] = (await planOf(definition)).steps.steps;
    return step?.verb === 'set' ? step.values.evaluate({ inputs: {} }) : undefined;
  };
  expect(await values(old)).toEqual({ a: null });
  expect(await values(now)).toEqual({});
});

test('Each step of a deployed workflow knows its tool as it was pinned, with its annotations.', async () => {
  const source = 'workflow: w\nsteps:\n  - { id: a, tool: mail/send }\n  - { id: b, tool: mail/other }\n';
  const definition = { inputSchema: { type: 'object' }, annotations: { readOnlyHint: false } };
  const pin = { contract: 'as it was', definition } as const;
  const pins = { 'mail/send': { effect: 'write', from: 'server', text: 'may change', ...pin } } as const;
  const { steps: block } = await planOf(definitionOf(source, 'yaml', pins));
  expect(block.steps).toMatchObject([{ tool: 'send' }, { tool: 'other' }]);
  expect(block.steps[0]).toHaveProperty('pin', pin);
  expect(block.steps[1]).not.toHaveProperty('pin');
});
