import { type FindingSpec, part, specsOf } from './findingSpec.ts';

const { error } = specsOf('Schemas and values');

export const schemaFindings = {
  'schema-invalid': error(
    'A schema is not a JSON Schema.',
    'inputs: { org: { type: string, minLength: one } }',
    'inputs: { org: { type: string, minLength: 1 } }',
  ),
  'schema-keyword': error(
    'JSON Schema has no such keyword.',
    'inputs: { org: { type: string, minLenght: 1 } }',
    'inputs: { org: { type: string, minLength: 1 } }',
  ),
  'schema-type': error(
    'JSON Schema has no such type.',
    'inputs: { count: { type: int } }',
    'inputs: { count: { type: integer } }',
  ),
  'schema-refused': error(
    'A schema is too large, or refers to others elsewhere.',
    'inputs: { repo: { $ref: "https://example.com/repo.json" } }',
    'inputs: { repo: { type: object, properties: { name: { type: string } } } }',
  ),
  'default-invalid': error(
    'A default does not fit its own schema.',
    'inputs: { count: { type: integer, default: many } }',
    'inputs: { count: { type: integer, default: 3 } }',
  ),
  'value-invalid': error(
    'A value does not fit the schema that it is for.',
    part`
      - ask: How many?
        form: { count: { type: integer } }
        expires: 1h
        onExpire: { count: none }`,
    part`
      - ask: How many?
        form: { count: { type: integer } }
        expires: 1h
        onExpire: { count: 0 }`,
  ),
} satisfies Record<string, FindingSpec>;
