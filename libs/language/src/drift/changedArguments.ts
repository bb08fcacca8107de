/** Proves that a tool takes the arguments of a call as it took them before. */
import { quoted, segmentsOf } from '@baton/expressions';
import { defined, isObject, type Json, type JsonObject, type JsonSchema } from '@baton/primitives';

import type { Workflow } from '../document/workflow.ts';
import { admits, memberOf } from '../fit/admits.ts';
import { isPlainMap, requiredOf } from '../fit/schemaParts.ts';
import { defaultsOf } from '../servers/argumentDefaults.ts';
import type { CallNote } from '../servers/callReport.ts';
import type { ChangedTool, ChangedTools, Doubt } from './changedTool.ts';

export function callDoubts(
  workflow: Workflow,
  was: readonly CallNote[],
  is: readonly CallNote[],
  changed: ChangedTools,
): readonly Doubt[] {
  return is.flatMap((call, index): Doubt[] => {
    const { target, pointer } = call;
    const one = changed.get(target);
    const before = was[index];
    if (call.verb !== 'tool' || one === undefined) return [];
    // A contradiction that is new is among the new problems.
    if (call.arguments === 'contradiction' && before?.arguments !== 'contradiction') return [];
    const isSure = call.exists === 'proved' && before?.pointer === pointer;
    if (isSure && (isProved(call, one) || takesAsBefore(workflow, call, one))) return [];
    const message = `Nothing proves that the arguments of ${quoted(target)} fit what it takes now.`;
    return [{ pointer, message }];
  });
}

/** The check knows what is written; Baton adds defaults, and the idempotency key where an argument holds it. */
function isProved(call: CallNote, { now }: ChangedTool): boolean {
  if (call.arguments !== 'proved' || keyArgumentOf(call) !== undefined) return false;
  const { inputSchema } = now;
  // What becomes a header is no question of types: it must be what it was.
  if (JSON.stringify(inputSchema).includes('"x-mcp-')) return false;
  const filled = Object.entries(defaultsOf(inputSchema) ?? {});
  if (filled.length === 0) return true;
  return (
    isPlainMap(inputSchema) &&
    isObject(inputSchema) &&
    filled.every(([name, value]) => admits(alone(inputSchema, memberOf(inputSchema, name)), { const: value }))
  );
}

function keyArgumentOf({ effect }: CallNote): string | undefined {
  const support = effect?.idempotency;
  return typeof support === 'object' ? support.argument : undefined;
}

/** The part of a document without its definitions: nothing is proved of one that refers to them. */
const alone = ({ $schema }: JsonObject, part: Json): JsonSchema =>
  isObject(part) ? { ...part, ...defined({ $schema }) } : part === true;

/** Whether the tool takes every arguments of this call that it took before. */
function takesAsBefore(workflow: Workflow, call: CallNote, { before, now }: ChangedTool): boolean {
  const filled = defaultsOf(now.inputSchema) ?? {};
  const dropped = Object.keys(defaultsOf(before.inputSchema) ?? {}).filter((name) => !Object.hasOwn(filled, name));
  // What is not filled in any more is left out, on which other members may depend.
  if (dropped.length > 0 && !isPlainMap(before.inputSchema)) return false;
  const key = keyArgumentOf(call);
  const given = { written: writtenAt(workflow, call.pointer), filled, key, dropped };
  return admits(withoutNeeded(now.inputSchema, key), argumentsOf(before.inputSchema, given));
}

/** The key is text; Baton sends it where the call does not. */
function withoutNeeded(schema: JsonSchema, key: string | undefined): JsonSchema {
  return isObject(schema) && key !== undefined
    ? { ...schema, required: requiredOf(schema).filter((name) => name !== key) }
    : schema;
}

interface GivenArguments {
  /** Of the call, with expressions; undefined or no map: any arguments. */
  readonly written: Json | undefined;
  /** Defaults that Baton fills in. */
  readonly filled: JsonObject;
  /** The argument that holds the idempotency key. */
  readonly key: string | undefined;
  /** Arguments that Baton filled in before, and does not any more. */
  readonly dropped: readonly string[];
}

/** The arguments of the call whose tool is named at the pointer. */
function writtenAt(workflow: Workflow, pointer: string): Json | undefined {
  const call = segmentsOf(pointer)
    .slice(0, -1)
    .reduce<Json | undefined>(
      (value, segment) => {
        if (Array.isArray(value)) return (value as readonly Json[])[Number(segment)];
        return isObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined;
      },
      workflow as unknown as Json,
    );
  return isObject(call) ? (call['with'] ?? {}) : undefined;
}

const isComputed = (value: Json): boolean => JSON.stringify(value).includes('${{');

/** The schema of the arguments that this call can have had: of those that it has, and of no others. */
function argumentsOf(schema: JsonSchema, { written, filled, key, dropped }: GivenArguments): JsonSchema {
  if (!isObject(schema)) return schema;
  const needed = requiredOf(schema).filter((name) => !dropped.includes(name));
  if (!isObject(written)) return { ...schema, required: needed };
  const fixed = Object.entries(filled).filter(([name]) => !Object.hasOwn(written, name));
  const all = [...Object.entries(written), ...fixed];
  const literal = (name: string, value: Json): boolean => Object.hasOwn(filled, name) || !isComputed(value);
  const properties = all.map(([name, value]): [string, Json] => {
    const own = memberOf(schema, name);
    return [name, isComputed(value) ? own : { ...(isObject(own) ? own : {}), const: value }];
  });
  const held = key === undefined || Object.hasOwn(written, key) ? [] : [[key, memberOf(schema, key)] as const];
  const sure = all.flatMap(([name, value]) => (literal(name, value) ? [name] : []));
  const named = new Set([...needed.filter((name) => Object.hasOwn(written, name)), ...sure]);
  return {
    ...schema,
    type: 'object',
    properties: Object.fromEntries([...properties, ...held]),
    required: [...named],
    additionalProperties: false,
  };
}
