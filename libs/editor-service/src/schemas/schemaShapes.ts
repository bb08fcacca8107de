/** The part of JSON Schema that editors complete: the properties of `inputs`, `form` and `output`. */
import { typeNames, vocabulary, isShorthand } from '@baton/expressions';
import { isObject, type Json, type JsonObject } from '@baton/primitives';

/** The offered keywords in their order, with descriptions. */
const meanings: Readonly<Record<string, string>> = {
  type: 'The kind of the value.',
  description: 'What it is, for people and models.',
  title: 'What people see.',
  default: 'Taken where nothing is given.',
  enum: 'The only values that it may have.',
  const: 'The only value that it may have.',
  examples: 'Values that it may have.',
  format: 'What a text is: `date-time`, `email`, `uri`, …',
  minLength: 'Characters at least.',
  maxLength: 'Characters at most.',
  pattern: 'A regular expression (RE2) that is found in the text.',
  minimum: 'At least this.',
  maximum: 'At most this.',
  exclusiveMinimum: 'More than this.',
  exclusiveMaximum: 'Less than this.',
  multipleOf: 'A multiple of this.',
  items: 'What each item of the list is.',
  minItems: 'Items at least.',
  maxItems: 'Items at most.',
  uniqueItems: 'No item is in the list twice.',
  properties: 'What the keys of the map hold.',
  required: 'Keys that must be there.',
  additionalProperties: 'What keys that are not listed hold; `false`: there are none.',
  anyOf: 'One of these fits, or several.',
  oneOf: 'Exactly one of these fits.',
  allOf: 'All of these fit.',
  not: 'This does not fit.',
};

const property = (name: string, description: string): JsonObject => {
  const content = vocabulary.get(name) ?? 'nothing';
  if (name === 'type') return { description, type: 'string', enum: typeNames };
  if (name === 'uniqueItems') return { description, type: 'boolean' };
  if (name === 'required') return { description, type: 'array', items: { type: 'string' } };
  if (name === 'enum' || name === 'examples') return { description, type: 'array' };
  if (content === 'schemas') return { description, type: 'array', items: { $ref: '#/$defs/schema' } };
  if (content === 'named schemas')
    return { description, type: 'object', additionalProperties: { $ref: '#/$defs/schema' } };
  if (content === 'schema' || content === 'schema or schemas') return { description, ...schemaReference };
  return { description };
};

const schemaReference: JsonObject = { $ref: '#/$defs/schema' };

const schema: JsonObject = {
  type: 'object',
  properties: {
    ...Object.fromEntries(Object.entries(meanings).map(([name, description]) => [name, property(name, description)])),
    optional: { type: 'boolean', description: 'In the shorthand: it may be left out, and has no default.' },
  },
};

const $defs = { schema };

/** The two forms of a schema: properties alone, or a whole schema. */
export const schemaShapesFor = (written: Json | undefined): JsonObject =>
  isObject(written) && !isShorthand(written)
    ? { ...schema, $defs }
    : { type: 'object', additionalProperties: schemaReference, $defs };
