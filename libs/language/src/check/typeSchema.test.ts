import { expect, test } from 'vitest';

import { outputSchemaOf, parseWorkflow } from '../parseWorkflow.ts';

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
  const schema = outputSchemaOf(workflow, known({ type: 'object', properties, required: ['id', 'people'] }));
  expect(schema.properties).toMatchObject({
    greeting: { type: 'string' },
    id: { type: 'integer' },
    names: { type: 'array', items: { type: 'string' } },
    fixed: { type: 'boolean' },
    unknown: {},
  });
});

test('An output is required unless it may be left out.', () => {
  const { workflow } = parseWorkflow(`workflow: w
inputs: { ok: { type: boolean } }
steps:
  - { id: paid, tool: crm/find, effect: read, if: '\${{ inputs.ok }}' }
outputs:
  refund: '\${{ steps.?paid.?output.?id }}'
  chosen: '\${{ inputs.ok ? steps.?paid.?output.?id : optional.of(2) }}'
  perhaps: '\${{ steps.?paid.?output.?id.optMap(id, id + 1) }}'
  settled: '\${{ default(steps.?paid.?output.?id, 0) }}'
  nullable: '\${{ steps.paid.output }}'
  inside: { id: '\${{ steps.?paid.?output.?id }}' }
`);
  if (workflow === undefined) throw new Error('it does not parse');
  const answers = known({ type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] });
  const { properties, required } = outputSchemaOf(workflow, answers);
  expect(properties).toMatchObject({ refund: { type: 'integer' }, settled: { type: 'integer' } });
  expect(required).toEqual(['settled', 'nullable', 'inside']);
});
