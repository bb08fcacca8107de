/**
 * Checks the results of `tools/call`, `prompts/get` and `resources/read` as they arrive: what the rest of Baton may
 * rely on.
 *
 * Checked by hand and not by a schema, because this runs for every call, and because unknown parts must stay: a result
 * is evidence. Shapes: MCP 2025-11-25, schema.ts. A tool result without `content` counts as one without blocks
 * (2024-11-05 servers), unless it holds what Baton cannot read. A `resource` block without `resource` counts as a link.
 */
import { limits } from '@baton/expressions';
import { type Json, type JsonObject, isObject } from '@baton/primitives';

/** The results of calls that a run makes, by method. */
export type CallMethod = 'tools/call' | 'prompts/get' | 'resources/read';

/** Deeper values cannot be passed on safely: a recursive reader would exhaust its stack. */
const depthMax = limits.value.depth;

export type CheckedResult = { readonly result: JsonObject } | { readonly problem: string };

export function checkResult(method: CallMethod, parsed: unknown): CheckedResult {
  const value = parsed as Json;
  if (!isObject(value)) return { problem: `the result is ${article(value)}, not an object` };
  if (isDeeperThan(value, depthMax)) return { problem: `the result nests more than ${depthMax} levels deep` };
  return checks[method]('resultType' in value ? withoutEnvelope(value) : value);
}

/** `resultType` (2026-07-28) says what kind of answer this is, not what is in it. */
function withoutEnvelope(value: JsonObject): JsonObject {
  const { resultType: _, ...result } = value;
  return result;
}

const checks: Readonly<Record<CallMethod, (result: JsonObject) => CheckedResult>> = {
  'tools/call': (given) => {
    const result = asToolResult(given);
    if (typeof result === 'string') return { problem: result };
    const { content } = result;
    if (!Array.isArray(content)) return { problem: `"content" is ${article(content)}, not a list` };
    const blocks = (content as readonly Json[]).map(asBlock);
    const wrong = blocks.findIndex((block) => block === undefined);
    if (wrong >= 0) return { problem: `block ${wrong} of "content" is not a content block` };
    const isSame = blocks.every((block, at) => block === content[at]);
    return { result: isSame ? result : { ...result, content: blocks as Json[] } };
  },
  'prompts/get': (result) => {
    const { messages } = result;
    if (!Array.isArray(messages)) return { problem: `"messages" is ${article(messages)}, not a list` };
    const wrong = messages.findIndex((message: Json) => !isObject(message) || !isObject(message['content']));
    return wrong < 0 ? { result } : { problem: `message ${wrong} has no content` };
  },
  'resources/read': (result) => {
    const { contents } = result;
    if (!Array.isArray(contents)) return { problem: `"contents" is ${article(contents)}, not a list` };
    const wrong = contents.findIndex((one: Json) => !isObject(one) || typeof one['uri'] !== 'string');
    return wrong < 0 ? { result } : { problem: `content ${wrong} has no "uri"` };
  },
};

/** The members of a result that say nothing of what the tool answered. */
const besides: ReadonlySet<string> = new Set(['_meta', 'isError']);

/** With `content`, and with an `isError` that is true or false; a sentence if nothing of it can be read. */
function asToolResult(given: JsonObject): JsonObject | string {
  const result = withoutUnset(given);
  if ('content' in result) return result;
  const { toolResult, ...rest } = result;
  if (toolResult !== undefined) return { ...rest, ...fromToolResult(toolResult) };
  const unread = Object.keys(result).find((key) => !besides.has(key));
  const isReadable = unread === undefined || 'structuredContent' in result;
  return isReadable
    ? { ...result, content: [] }
    : `it has no "content", and Baton cannot read ${JSON.stringify(unread)}`;
}

/** Servers write `"true"` and 1, and `null` for what is not set. */
function withoutUnset(result: JsonObject): JsonObject {
  const { structuredContent, isError } = result;
  if (structuredContent !== null && (isError === undefined || typeof isError === 'boolean')) return result;
  const { structuredContent: _, isError: __, ...rest } = result;
  return {
    ...rest,
    ...(structuredContent === undefined || structuredContent === null ? {} : { structuredContent }),
    ...(isError === undefined ? {} : { isError: isTrue(isError) }),
  };
}

/** What is no clear no counts as an error: a failure must not pass for a success. */
const isTrue = (value: Json): boolean =>
  typeof value === 'string' ? !/^(?:false|no|0)?$/i.test(value.trim()) : Boolean(value);

/** The result of a tool in 2024-10-07. */
function fromToolResult(toolResult: Json): JsonObject {
  const text = typeof toolResult === 'string' ? toolResult : JSON.stringify(toolResult);
  return {
    content: [{ type: 'text', text }],
    ...(isObject(toolResult) ? { structuredContent: toolResult } : {}),
  };
}

function asBlock(block: Json): Json | undefined {
  if (!isObject(block)) return undefined;
  switch (block['type']) {
    case 'text':
      return typeof block['text'] === 'string' ? block : undefined;
    case 'image':
    case 'audio':
      return typeof block['data'] === 'string' && typeof block['mimeType'] === 'string' ? block : undefined;
    case 'resource':
      if (isObject(block['resource'])) return typeof block['resource']['uri'] === 'string' ? block : undefined;
      return typeof block['uri'] === 'string' ? { name: block['uri'], ...block, type: 'resource_link' } : undefined;
    case 'resource_link':
      return typeof block['uri'] === 'string' ? block : undefined;
    default:
      // Accepts block types of later revisions.
      return typeof block['type'] === 'string' ? block : undefined;
  }
}

/** All text of a tool's result, joined. */
export function textOf(result: JsonObject): string {
  const { content } = result;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((block: Json) => (isObject(block) && typeof block['text'] === 'string' ? block['text'] : []))
    .join('\n');
}

/** Stops at the first value that is too deep. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return items.some((item) => isDeeperThan(item, levels - 1));
}

function article(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
