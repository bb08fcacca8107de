/**
 * Digests of a tool's definition. They reveal a change after the check (MCP's "rug pull").
 *
 * There are two, because a changed sentence is not a changed contract: `contract` covers what a call depends on, `text`
 * covers every word that a person or a model reads, including those in the schemas.
 */
import { isObject } from '@baton/primitives';

import { digestOf } from './digestOf.ts';

export interface ToolDefinition {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: unknown;
  readonly execution?: unknown;
}

export interface ToolDigests {
  readonly contract: string;
  readonly text: string;
}

/** Keywords of JSON Schema that change no verdict. */
const words = new Set(['title', 'description', '$comment', 'examples']);
/** Keywords whose members are named by the author: a property may be called `title`. */
const named = new Set(
  'properties patternProperties $defs definitions dependentSchemas dependentRequired dependencies'.split(' '),
);
/** Keywords that hold plain values. */
const verbatim = new Set(['const', 'enum', 'default']);

/** A server may send schemas of any depth. */
const depthMax = 64;

export function digestTool(tool: ToolDefinition): ToolDigests {
  const { name, title, description, inputSchema, outputSchema, annotations, execution } = tool;
  const hints = isObject(annotations) ? omit(annotations, ['title']) : annotations;
  return {
    contract: digestOf({
      name,
      inputSchema: withoutWords(inputSchema, 0),
      outputSchema: withoutWords(outputSchema, 0),
      annotations: hints,
      execution,
    }),
    text: digestOf({ name, title, description, inputSchema, outputSchema, annotations }),
  };
}

const omit = (record: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));

function withoutWords(schema: unknown, depth: number): unknown {
  if (depth > depthMax) return schema;
  if (Array.isArray(schema)) return schema.map((item) => withoutWords(item, depth + 1));
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => !words.has(keyword))
      .map(([keyword, value]) => {
        if (verbatim.has(keyword)) return [keyword, value];
        if (named.has(keyword) && isObject(value)) return [keyword, mapValues(value, depth)];
        return [keyword, withoutWords(value, depth + 1)];
      }),
  );
}

const mapValues = (members: Readonly<Record<string, unknown>>, depth: number): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).map(([key, schema]) => [key, withoutWords(schema, depth + 1)]));
