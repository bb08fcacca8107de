/** What the translations of nodes share: their parameters, and the steps that they make. */
import type { Json, JsonObject } from '@baton/language';
import { childOf } from '@baton/language';

import { UnmappedError } from '../expression/syntax.ts';
import type { Import, StepDraft } from '../importing.ts';
import { mapOf } from '../json.ts';
import type { N8nSight, ReadOutput } from './n8nValues.ts';
import { outputOfStep, valueOf } from './n8nValues.ts';
import type { N8nNode } from './readN8n.ts';

export interface NodeContext {
  readonly importing: Import;
  readonly sight: N8nSight;
  readonly nodes: ReadonlyMap<string, N8nNode>;
  readonly takeId: (name: string) => string;
}

export interface NodeDraft {
  /** Without its `id`, where nothing is read of it. */
  readonly step: StepDraft;
  readonly read: ReadOutput | undefined;
}

export type Translate = (node: N8nNode, context: NodeContext) => NodeDraft | undefined;

/** A step whose answer others read. */
export const called = (name: string, step: StepDraft, { takeId }: NodeContext): NodeDraft => {
  const id = takeId(name);
  return { step: { id, ...step }, read: outputOfStep(id) };
};

export const parametersAt = ({ pointer }: N8nNode): string => childOf(pointer, 'parameters');

/** A parameter of the node. `keys`: where it is. */
export function value(
  node: N8nNode,
  { importing, sight }: NodeContext,
  given: Json | undefined,
  ...keys: string[]
): Json {
  const pointer = keys.reduce(childOf, parametersAt(node));
  return valueOf(importing, given ?? '', pointer, sight);
}

/** JSON with expressions inside of its texts is read as JSON. */
export function parsed(json: Json): Json {
  if (typeof json !== 'string') return json;
  try {
    const read = JSON.parse(json.replace(/^=/, '')) as Json;
    return json.startsWith('=') ? marked(read) : read;
  } catch {
    return json;
  }
}

function marked(read: Json): Json {
  if (typeof read === 'string') return read.includes('{{') ? `=${read}` : read;
  if (Array.isArray(read)) return read.map((one: Json) => marked(one));
  if (read === null || typeof read !== 'object') return read;
  return Object.fromEntries(Object.entries(mapOf(read)).map(([key, one]) => [key, marked(one)]));
}

/** A `set` step: `field` is the one that is read as its output; `handsOn`: what came in can be read too. */
export function setOf(
  name: string,
  values: JsonObject,
  context: NodeContext,
  field?: string,
  handsOn = false,
): NodeDraft {
  const id = context.takeId(name);
  const own = outputOfStep(id, field ?? 'output');
  const { input } = context.sight;
  // A field that the step does not set is one that came in.
  const read: ReadOutput = (path, isOptional) => {
    const [first] = path;
    if (first === undefined || field !== undefined || Object.hasOwn(values, first)) return own(path, isOptional);
    if (handsOn) return input(path);
    throw new UnmappedError(`"${name}" hands on no "${first}"`);
  };
  return { step: { id, set: values }, read };
}
