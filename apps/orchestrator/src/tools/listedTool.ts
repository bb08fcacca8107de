/**
 * Baton's own tools as `tools/list` names them. A model has this list before it in every session, so it is short: the
 * whole schemas of the answers are resources.
 */
import { isObject } from '@baton/primitives';
import type { Tool } from '@modelcontextprotocol/server';
import * as z from 'zod';

/** Every answer ends with the next step. Its schema is the resource `baton://answers/NAME`. */
const outputSchema = { type: 'object', required: ['next'] } as const satisfies Tool['outputSchema'];

export interface OwnTool {
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodType<Record<string, unknown>>;
  readonly isReading: boolean;
  /** It answers a text. */
  readonly isText?: true;
}

export const listedTool = (name: string, { title, description, input, isReading, isText }: OwnTool): Tool => ({
  name,
  title,
  description,
  inputSchema: brief(z.toJSONSchema(input, { io: 'input' })) as Tool['inputSchema'],
  ...(isText ? {} : { outputSchema: { ...outputSchema, required: [...outputSchema.required] } }),
  // A started or answered run has the effect of its workflow; cancelling one may undo what it did.
  annotations: isReading ? { readOnlyHint: true } : { destructiveHint: true },
});

/** Of a wrong value the answer says what is expected. */
const unneeded = new Set(['$schema', 'propertyNames', 'minLength', 'maxLength', 'pattern', 'format']);

/** Without what a caller need not know before its call. */
function brief(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(brief);
  if (!isObject(schema)) return schema;
  const kept = Object.entries(schema).filter(
    ([key, value]) => value !== '' && !unneeded.has(key) && !isWide(key, value),
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, key === 'properties' ? eachBrief(value) : brief(value)]));
}

const eachBrief = (members: unknown): unknown =>
  isObject(members) ? Object.fromEntries(Object.entries(members).map(([name, one]) => [name, brief(one)])) : members;

/** A limit of any value of its type. */
function isWide(key: string, value: unknown): boolean {
  if (key === 'additionalProperties') return isObject(value);
  return (key === 'minimum' || key === 'maximum') && Math.abs(Number(value)) >= 2 ** 31 - 1;
}
