/** Describes a tool to an author: its schemas, and an example of a step that calls it. */
import { ProblemError } from '@baton/api';
import { inventValue } from '@baton/control';
import { didYouMean } from '@baton/expressions';
import { type Json, type JsonObject, defined, isObject, withHint } from '@baton/primitives';

import type { OfferedTool } from '../tools/serverOffers.ts';

export const nameOf = ({ server, tool }: OfferedTool): string => `${server}/${tool.name}`;

/** `name`: `server/tool`. Throws `ProblemError` if no server has it. */
export function describeTool(tools: readonly OfferedTool[], name: string): object {
  const found = tools.find((one) => nameOf(one) === name);
  if (found === undefined) {
    const ofServers = tools.filter(({ tool }) => tool.name === name).map(nameOf);
    const hint =
      ofServers.length > 0
        ? `did you mean ${ofServers
            .slice(0, 5)
            .map((one) => `"${one}"`)
            .join(' or ')}?`
        : didYouMean(name, tools.map(nameOf));
    const jsonResult = `There is no tool ${JSON.stringify(name.slice(0, 80))}.`;
    throw new ProblemError('not-found', withHint(jsonResult, hint));
  }
  const { description, inputSchema, outputSchema } = found.tool;
  const step = {
    tool: name,
    ...(found.effect.effect === 'write' ? {} : { effect: found.effect.effect }),
    with: inventValue(neededOf(inputSchema)),
  };
  return {
    name,
    description,
    effect: found.effect.effect,
    inputSchema,
    ...defined({ outputSchema }),
    step,
    next: 'Write it as a step of a workflow, with your own arguments.',
  };
}

/** Keeps the required arguments only: optional ones often exclude each other. */
function neededOf(schema: JsonObject): JsonObject {
  const { properties, required } = schema;
  if (!isObject(properties)) return schema;
  const needed = Array.isArray(required) ? (required as readonly Json[]) : [];
  const kept = Object.entries(properties).filter(([name]) => needed.includes(name));
  return { ...schema, properties: Object.fromEntries(kept) };
}
