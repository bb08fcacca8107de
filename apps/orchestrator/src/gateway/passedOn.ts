/**
 * What of a server's answer reaches the gateway's client: a list, so that no server speaks in the name of Baton or of the
 * protocol: `_meta` keys such as `baton/repeated`, how long an answer may be cached, whether the client has to ask its user.
 */
import { type Json, type JsonObject, isObject } from '@baton/primitives';

const parts = {
  tool: ['content', 'structuredContent'],
  prompt: ['description', 'messages'],
  resource: ['contents'],
} as const;

const all: ReadonlySet<string> = new Set(Object.values(parts).flat());

/** The parts of a result of any kind that are the server's own; their `_meta`, at any depth, without reserved keys. */
export const passedOn = (result: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(result).flatMap(([key, value]): [string, Json][] => {
      if (key === '_meta') return [[key, ownMeta(value)]];
      if (!all.has(key)) return [];
      // The tool's own data, as its output schema has them.
      return [[key, key === 'structuredContent' ? value : withOwnMeta(value)]];
    }),
  );

/** Content, messages and contents have a `_meta` of their own, and at most four levels of objects. */
function withOwnMeta(value: Json, depth = 0): Json {
  if (depth > 8 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => withOwnMeta(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, key === '_meta' ? ownMeta(item) : withOwnMeta(item, depth + 1)]),
  );
}

/** Without reserved keys. */
export const ownMeta = (meta: Json): JsonObject =>
  isObject(meta) ? Object.fromEntries(Object.entries(meta).filter(([key]) => !isReserved(key))) : {};

/** Keys of the protocol without a prefix. */
const reservedNames = new Set(['progressToken', 'idempotencyKey', 'traceparent', 'tracestate', 'baggage']);

/**
 * Baton's own keys, and the protocol's: prefixes that have "modelcontextprotocol" or "mcp" among their labels (MCP
 * 2025-11-25, `_meta`).
 */
function isReserved(key: string): boolean {
  if (reservedNames.has(key)) return true;
  const labels = key.toLowerCase().split('/').slice(0, -1).join('.').split('.');
  return labels.some((label) => label === 'baton' || label === 'mcp' || label === 'modelcontextprotocol');
}
