/**
 * The keywords of JSON Schema 2020-12, with those of draft 7 that servers still send and `enumNames`, which MCP's forms
 * have (2025-11-25, elicitation), by the schemas that they hold.
 */

export type KeywordContent = 'nothing' | 'schema' | 'schemas' | 'named schemas' | 'schema or schemas';

const keywords: Readonly<Record<KeywordContent, string>> = {
  nothing: `$id $schema $anchor $comment $ref title description default enumNames examples deprecated readOnly writeOnly type enum
    const format contentEncoding contentMediaType minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength
    maxLength pattern minContains maxContains minItems maxItems uniqueItems required minProperties maxProperties
    dependentRequired`,
  schema: `contentSchema additionalItems contains unevaluatedItems additionalProperties unevaluatedProperties
    propertyNames not if then else`,
  schemas: 'prefixItems allOf anyOf oneOf',
  'named schemas': '$defs definitions properties patternProperties dependentSchemas dependencies',
  'schema or schemas': 'items',
};

export const vocabulary: ReadonlyMap<string, KeywordContent> = new Map(
  Object.entries(keywords).flatMap(([holds, words]) =>
    words.split(/\s+/).map((word) => [word, holds as KeywordContent] as const),
  ),
);

export const typeNames = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const;

/** Common misspellings of the names above. */
export const typeSlips: Readonly<Record<string, string>> = {
  int: 'integer',
  float: 'number',
  double: 'number',
  decimal: 'number',
  bool: 'boolean',
  str: 'string',
  text: 'string',
  list: 'array',
  map: 'object',
  dict: 'object',
  date: 'string',
  datetime: 'string',
};
