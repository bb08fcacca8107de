/** Shared by the translations of nodes: reading parameters, and making steps. */
import { childOf } from '@baton/expressions';
import type { Json, JsonObject } from '@baton/primitives';

import { UnmappedError } from '../expression/syntax.ts';
import type { Import, StepDraft } from '../importing.ts';
import { mapOf } from '../json.ts';
import { type N8nNames, type ReadOutput, outputOfStep, valueOf } from './n8nValues.ts';
import type { N8nNode } from './readN8n.ts';

export interface NodeContext {
  readonly importing: Import;
  readonly names: N8nNames;
  readonly nodes: ReadonlyMap<string, N8nNode>;
  readonly takeId: (name: string) => string;
}

export interface NodeDraft {
  /** The step; it has an `id` only if other steps read it. */
  readonly step: StepDraft;
  readonly read: ReadOutput | undefined;
}

export type Translate = (node: N8nNode, context: NodeContext) => NodeDraft | undefined;

/** A step whose output others may read. */
export const called = (name: string, step: StepDraft, { takeId }: NodeContext): NodeDraft => {
  const id = takeId(name);
  return { step: { id, ...step }, read: outputOfStep(id) };
};

export const parametersAt = ({ pointer }: N8nNode): string => childOf(pointer, 'parameters');

/** Translates a parameter of the node. `keys`: its path. */
export function value(
  node: N8nNode,
  { importing, names }: NodeContext,
  given: Json | undefined,
  ...keys: string[]
): Json {
  const pointer = keys.reduce(childOf, parametersAt(node));
  return valueOf(importing, given ?? '', pointer, names);
}

/** Parses texts that are JSON with expressions in its texts. */
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

/** A `set` step. `field`: the field that is its output. `handsOn`: expressions can read the input through it. */
export function setOf(
  name: string,
  values: JsonObject,
  context: NodeContext,
  field?: string,
  handsOn = false,
): NodeDraft {
  const id = context.takeId(name);
  const own = outputOfStep(id, field ?? 'output');
  const { input } = context.names;
  // A field that the step does not set comes from its input.
  const read: ReadOutput = (path, isOptional) => {
    const [first] = path;
    if (first === undefined || field !== undefined || Object.hasOwn(values, first)) return own(path, isOptional);
    if (handsOn) return input(path);
    throw new UnmappedError(`"${name}" does not pass "${first}" on`);
  };
  return { step: { id, set: values }, read };
}
