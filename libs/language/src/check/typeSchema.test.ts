import { expect, test } from 'vitest';

import { outputSchemasOf, parseWorkflow } from '../parseWorkflow.ts';

const known = (outputSchema: object) => ({
  servers: new Map([
    [
      'crm',
      {
        kind: 'known' as const,
        tools: [{ name: 'find', inputSchema: { type: 'object' }, outputSchema: { ...outputSchema } }],
        prompts: [],
        resources: [],
        resourceTemplates: [],
      },
    ],
  ]),
});

test('what a workflow gives has the types that the checker infers', () => {
  const { workflow } = parseWorkflow(`workflow: w
inputs: { name: { type: string } }
steps:
  - { id: found, tool: crm/find, effect: read }
outputs:
  greeting: Hello \${{ inputs.name }}
  id: \${{ steps.found.output.id }}
  names: \${{ steps.found.output.people.map(p, p.name) }}
  size: \${{ size(inputs.name) }}
  fixed: true
  unknown: \${{ steps.found.output.more }}
`);
  if (workflow === undefined) throw new Error('it does not parse');
  const people = {
    type: 'array',
    items: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  };
  const properties = { id: { type: 'integer' }, people };
  const schemas = outputSchemasOf(workflow, known({ type: 'object', properties, required: ['id', 'people'] }));
  expect(schemas).toMatchObject({
    greeting: { type: 'string' },
    id: { type: 'integer' },
    names: { type: 'array', items: { type: 'string' } },
    fixed: { type: 'boolean' },
    unknown: {},
  });
});
