/**
 * The JSON Schema of workflows with the tools and prompts of one installation, for editors without a language server: a
 * misspelt tool or argument is refused.
 */
import { refusalOf } from '@baton/expressions';
import { defined, isObject, type Json, type JsonObject, type JsonSchema } from '@baton/primitives';

import { workflowJsonSchema } from '../document/jsonSchema.ts';
import { withoutGivenArguments } from './argumentDefaults.ts';
import type { OfferedPrompt, ServerOffers } from './offer.ts';

export function installationSchema(servers: ServerOffers): JsonObject {
  const schema = workflowJsonSchema();
  const $defs = isObject(schema['$defs']) ? schema['$defs'] : {};
  const tools = [...servers].flatMap(([server, offer]): CalledName[] =>
    offer.kind === 'known'
      ? offer.tools.map((one) => ({ ...one, name: `${server}/${one.name}`, takes: writtenArguments(one.inputSchema) }))
      : [],
  );
  const prompts = [...servers].flatMap(([server, offer]): CalledName[] =>
    offer.kind === 'known'
      ? offer.prompts.map((one) => ({ ...one, name: `${server}/${one.name}`, takes: argumentsOfPrompt(one) }))
      : [],
  );
  // Servers that do not answer: their tools are unknown.
  const open = [...servers].flatMap(([server, offer]) => (offer.kind === 'known' ? [] : [server]));
  const named: Record<string, Json> = {};
  return {
    ...schema,
    $defs: {
      ...$defs,
      toolStep: narrowed($defs['toolStep'], 'tool', tools, open, named),
      toolCheck: narrowed($defs['toolCheck'], 'tool', tools, open, named),
      toolEnsure: narrowed($defs['toolEnsure'], 'tool', tools, open, named),
      promptStep: narrowed($defs['promptStep'], 'prompt', prompts, open, named),
      ...named,
    },
  };
}

interface CalledName {
  /** `server/name`. */
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** Undefined: its schema is unusable. */
  readonly takes: JsonObject | undefined;
}

function narrowed(
  shape: Json | undefined,
  verb: 'tool' | 'prompt',
  all: readonly CalledName[],
  open: readonly string[],
  named: Record<string, Json>,
): JsonObject {
  const written = isObject(shape) ? shape : {};
  const properties = isObject(written['properties']) ? written['properties'] : {};
  const target = isObject(properties[verb]) ? properties[verb] : {};
  const names = all.map(({ name, title, description = title }) => ({
    const: name,
    ...defined({ description }),
  }));
  const others = open.map((server) => ({ type: 'string', pattern: `^${server.replaceAll('.', '\\.')}/.` }));
  const said = target['description'];
  return {
    ...written,
    properties: {
      ...properties,
      [verb]: {
        ...(typeof said === 'string' ? { description: said } : {}),
        anyOf: [...names, ...others, ...nothing(names, others)],
      },
    },
    allOf: all.flatMap(({ name, takes }): Json[] => {
      if (takes === undefined) return [];
      const key = `${verb} ${name}`;
      named[key] ??= relocated(takes, `#/$defs/${pointerPart(key)}`);
      const needsArguments = Array.isArray(takes['required']) && takes['required'].length > 0;
      return [
        {
          if: { properties: { [verb]: { const: name } }, required: [verb] },
          // JSON Schema's word; no promise is waited for here.
          // oxlint-disable-next-line unicorn/no-thenable
          then: {
            properties: { with: { anyOf: [{ $ref: `#/$defs/${pointerPart(key)}` }, computed] } },
            ...(needsArguments ? { required: ['with'] } : {}),
          },
        },
      ];
    }),
  };
}

/** Without alternatives, no value fits. */
const nothing = (...lists: readonly (readonly unknown[])[]): Json[] =>
  lists.every(({ length }) => length === 0) ? [{ not: {} }] : [];

const pointerPart = (key: string): string => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));

/** A text with an expression may replace any value. */
const computed: JsonObject = { type: 'string', pattern: String.raw`\$\{\{` };

/** As the author must write them; undefined if the schema is unreliable. */
function writtenArguments(inputSchema: JsonSchema): JsonObject | undefined {
  if (refusalOf(inputSchema) !== undefined) return undefined;
  const schema = withoutGivenArguments(inputSchema, undefined);
  if (!isObject(schema)) return undefined;
  const isListed =
    isObject(schema['properties']) &&
    schema['additionalProperties'] === undefined &&
    schema['patternProperties'] === undefined;
  return isListed ? { ...schema, additionalProperties: false } : schema;
}

const argumentsOfPrompt = ({ arguments: list }: OfferedPrompt): JsonObject => ({
  type: 'object',
  properties: Object.fromEntries(
    list.map(({ name, description }) => [name, description === undefined ? {} : { description }]),
  ),
  required: list.flatMap(({ name, required }) => (required === true ? [name] : [])),
  additionalProperties: false,
});

/** Rewrites its references for its new place, and allows expressions inside. */
function relocated(schema: JsonObject, place: string): JsonObject {
  const { $schema: _schema, $id: _id, ...rest } = schema;
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, relocatedValue(key, value, place)]));
}

/** Keywords whose schemas describe values that an author writes. */
const holders = new Set(['properties', 'patternProperties']);

function relocatedValue(keyword: string, value: Json, place: string): Json {
  if (keyword === '$ref' && typeof value === 'string') return value.startsWith('#') ? place + value.slice(1) : value;
  if (keyword === 'enum' || keyword === 'const' || keyword === 'default' || keyword === 'examples') return value;
  if (holders.has(keyword) && isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, isObject(one) ? orComputed(relocated(one, place)) : one]),
    );
  }
  if (keyword === 'items' && isObject(value)) return orComputed(relocated(value, place));
  if (Array.isArray(value))
    return (value as readonly Json[]).map((one) => (isObject(one) ? relocated(one, place) : one));
  if (!isObject(value)) return value;
  const isNamed = keyword === '$defs' || keyword === 'definitions';
  return isNamed
    ? Object.fromEntries(
        Object.entries(value).map(([name, one]) => [name, isObject(one) ? relocated(one, place) : one]),
      )
    : relocated(value, place);
}

/** Keeps the description where editors look for it. */
function orComputed(schema: JsonObject): JsonObject {
  const { title, description } = schema;
  return {
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    anyOf: [schema, computed],
  };
}
