/** The two tools that replace all others with `?find=1`, so that a model reads only what it needs. */
import type { JsonObject } from '@baton/primitives';
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import * as z from 'zod';

import { validated } from '../http/validation.ts';
import { findTools, oneLine } from '../tools/findTools.ts';
import type { OfferedTool } from '../tools/serverOffers.ts';

const Find = z.strictObject({
  query: z.string().max(400).default('').describe('Words for what the tool should do; empty for all.'),
  name: z.string().max(512).optional().describe('The name of one tool: its whole definition.'),
  limit: z.int().min(1).max(100).default(12),
});

const Call = z.strictObject({
  name: z.string().max(512).describe('As find_tools gives it.'),
  arguments: z.record(z.string(), z.unknown()).default({}).describe('As the inputSchema of the tool says.'),
});

const schemaOf = (type: z.ZodType): Tool['inputSchema'] => z.toJSONSchema(type, { io: 'input' }) as Tool['inputSchema'];

export const findingTools: readonly Tool[] = [
  {
    name: 'find_tools',
    title: 'Find tools',
    description: 'Finds tools by words: name, one line and effect of each; with `name`, how that tool is called.',
    inputSchema: schemaOf(Find),
    annotations: { readOnlyHint: true },
  },
  {
    name: 'call_tool',
    title: 'Call a tool',
    description: 'Calls a tool that find_tools named, with the arguments that its inputSchema asks for.',
    inputSchema: schemaOf(Call),
    annotations: { readOnlyHint: false, destructiveHint: true },
  },
];

export const calledIn = (given: JsonObject): { name: string; arguments: JsonObject } =>
  validated(Call, given, 'body') as { name: string; arguments: JsonObject };

interface FoundTools {
  /** Those whose whole definition is in the result. */
  readonly shown: readonly OfferedTool[];
  readonly result: CallToolResult;
}

/** Throws `ProblemError`. */
export function foundTools(tools: readonly OfferedTool[], given: JsonObject): FoundTools {
  const { query, name, limit } = validated(Find, given, 'body');
  const one = name === undefined ? undefined : tools.find((each) => each.name === name);
  if (one !== undefined && name !== undefined) {
    const { description, inputSchema, outputSchema } = one.tool;
    const result = jsonResult({
      name,
      description,
      effect: one.effect.effect,
      inputSchema,
      ...(outputSchema && { outputSchema }),
      next: 'Call it with call_tool.',
    });
    return { shown: [one], result };
  }
  const found = findTools(tools, name ?? query, limit).map((each) => ({
    name: each.name,
    description: oneLine(each.tool),
    effect: each.effect.effect,
  }));
  const next =
    found.length === 0
      ? `None of ${tools.length} tools fits these words. Try others, or an empty query for all.`
      : 'With `name`, find_tools says how one of them is called; call_tool calls it.';
  return { shown: [], result: jsonResult({ tools: found, next }) };
}

const jsonResult = (value: object): CallToolResult => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });
