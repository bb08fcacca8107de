import { describe, expect, test } from 'vitest';

import { checkWorkflow } from '../parseWorkflow.ts';
import type { ServerOffer } from '../servers/offer.ts';

const get = {
  name: 'get',
  inputSchema: {
    type: 'object',
    properties: { url: { type: 'string' }, output: { type: 'object', 'x-baton-types': 'body' } },
    required: ['url'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: { status: { type: 'integer' }, body: {} },
    required: ['status', 'body'],
    additionalProperties: false,
  },
};
const http: ServerOffer = { kind: 'known', tools: [get], prompts: [], resources: [], resourceTemplates: [] };

function findings(
  output: string,
  read: string,
): readonly { code: string; message: string; hint?: string | undefined }[] {
  const text = `workflow: w
inputs: { schema: { type: object } }
steps:
  - id: order
    tool: http/get
    effect: read
    with: { url: "https://example.com", output: ${output} }
outputs: { read: "\${{ ${read} }}" }
`;
  return checkWorkflow(text, { servers: new Map([['http', http]]) }).findings;
}

const order = '{ type: object, properties: { id: { type: integer } }, required: [id], additionalProperties: false }';

describe('the schema with which a call types its answer', () => {
  test.each([
    ['of a field that it lists', order, 'steps.order.output.body.id + 1'],
    ['of what the tool says itself', order, 'steps.order.output.status + 1'],
    ['of items of a list', '{ type: array, items: { type: string } }', 'steps.order.output.body[0].size()'],
    [
      'through a reference within it',
      '{ type: object, properties: { a: { $ref: "#/$defs/n" } }, required: [a], $defs: { n: { type: integer } } }',
      'steps.order.output.body.a + 1',
    ],
    ['in the shorthand, which leaves others open', '{ id: { type: integer } }', 'steps.order.output.body.id + 1'],
  ])('proves a use %s', (_, output, read) => {
    expect(findings(output, read)).toEqual([]);
  });

  test.each([
    ['a field that it does not have', order, 'steps.order.output.body.ids', 'unknown-field', 'id'],
    ['a field of another type', order, "steps.order.output.body.id + 'a'", 'expression-type', ''],
  ])('finds %s', (_, output, read, code, near) => {
    const [first, ...more] = findings(output, read);
    expect(more).toEqual([]);
    expect([first?.code, first?.hint ?? '']).toEqual([code, expect.stringContaining(near)]);
  });

  test.each([
    ['a keyword with a slip', '{ type: object, propertis: {} }', 'schema-keyword'],
    ['a type that there is not', '{ type: objekt }', 'schema-type'],
    ['a schema elsewhere', '{ $ref: "https://example.com/a.json" }', 'schema-refused'],
    ['an expression in it', '{ type: object, description: "${{ inputs.schema.a }}" }', 'schema-invalid'],
    ['an expression in its place', '"${{ inputs.schema }}"', 'schema-invalid'],
  ])('is refused for %s, at its place', (_, output, code) => {
    expect(findings(output, 'steps.order.output.status').map((one) => one.code)).toEqual([code]);
  });
});
