/**
 * `x-mcp-header` (MCP 2026-07-28, Streamable HTTP, custom headers): a tool may ask for some arguments as headers
 * `Mcp-Param-*`, so that proxies can route by them without reading the body.
 */
import { type Json, type JsonObject, isObject, membersOf } from '@baton/primitives';

interface DeclaredHeader {
  readonly header: string;
  /** Of the argument, from the top. */
  readonly path: readonly string[];
}

export type ParamHeaders = { readonly declared: readonly DeclaredHeader[] } | { readonly problem: string };

const key = 'x-mcp-header';
/** RFC 9110 section 5.6.2. */
const token = /^[\w!#$%&'*+.^`|~-]+$/;
const types: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);

/** The headers that a tool's input schema declares. After one mistake, the tool must not be used over HTTP. */
export function paramHeadersIn(inputSchema: JsonObject): ParamHeaders {
  const declared: DeclaredHeader[] = [];
  const problem = walk(inputSchema, [], true, declared);
  if (problem !== undefined) return { problem };
  const names = declared.map(({ header }) => header.toLowerCase());
  const double = names.find((name, at) => names.indexOf(name) !== at);
  return double === undefined ? { declared } : { problem: `${key} "${double}" is declared twice` };
}

/** Schemas are read once; calls are many. */
const read = new WeakMap<JsonObject, readonly DeclaredHeader[]>();

function declaredIn(inputSchema: JsonObject): readonly DeclaredHeader[] {
  const known = read.get(inputSchema);
  if (known !== undefined) return known;
  const found = paramHeadersIn(inputSchema);
  const declared = 'problem' in found ? [] : found.declared;
  read.set(inputSchema, declared);
  return declared;
}

/** The headers of one call. An argument that is left out, or null, has none. */
export function paramHeadersOf(inputSchema: JsonObject, args: JsonObject): Readonly<Record<string, string>> {
  const headers = declaredIn(inputSchema).flatMap(({ header, path }): [string, string][] => {
    const text = textOf(path.reduce<Json | undefined>((at, name) => (isObject(at) ? at[name] : undefined), args));
    return text === undefined ? [] : [[`Mcp-Param-${header}`, encoded(text)]];
  });
  return Object.fromEntries(headers);
}

/** The member of the parameters that the header `Mcp-Name` repeats, by method. */
const nameMembers: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);
const versionKey = 'io.modelcontextprotocol/protocolVersion';

/**
 * The headers of a request that names its revision (MCP 2026-07-28, Streamable HTTP, standard headers): what proxies
 * route by. None before that.
 */
export function requestHeaders({ method, params }: RequestInHeaders): Readonly<Record<string, string>> {
  const members = membersOf(params);
  const meta = members['_meta'];
  const version = isObject(meta) ? meta[versionKey] : undefined;
  if (typeof version !== 'string') return {};
  const nameMember = nameMembers.get(method);
  const name = nameMember === undefined ? undefined : members[nameMember];
  return {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': encoded(name) } : {}),
  };
}

interface RequestInHeaders {
  readonly method: string;
  readonly params?: unknown;
}

/** `isReachable`: by way of `properties` alone; only there the place of an argument is certain. */
function walk(
  schema: Json | undefined,
  path: readonly string[],
  isReachable: boolean,
  declared: DeclaredHeader[],
): string | undefined {
  if (Array.isArray(schema)) return firstOf(schema as readonly Json[], (one) => walk(one, path, false, declared));
  if (!isObject(schema)) return undefined;
  if (Object.hasOwn(schema, key)) {
    const problem = problemOf(schema, path, isReachable);
    if (problem !== undefined) return problem;
    declared.push({ header: schema[key] as string, path });
  }
  return firstOf(Object.entries(schema), ([name, below]) => {
    if (name === 'properties' && isObject(below)) {
      return firstOf(Object.entries(below), ([property, one]) => walk(one, [...path, property], isReachable, declared));
    }
    return data.has(name) ? undefined : walk(below, path, false, declared);
  });
}

/** Keywords whose values are no schemas. */
const data: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples', 'required', 'type', key]);

function problemOf(schema: JsonObject, path: readonly string[], isReachable: boolean): string | undefined {
  const at = `${key} at "${path.join('.').slice(0, 80)}"`;
  const { [key]: header, type } = schema;
  if (!isReachable || path.length === 0) return `${at} is not reached by "properties" alone`;
  if (typeof header !== 'string' || !token.test(header)) return `${at} is not the name of a header`;
  return types.has(type) ? undefined : `${at} stands at what is neither string, integer nor boolean`;
}

function firstOf<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function textOf(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined;
}

/** Encodes a value that a header cannot hold: Base64 of its UTF-8, marked as such. */
function encoded(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${base64(new TextEncoder().encode(text))}?=`;
}

const base64 = (bytes: Uint8Array): string => btoa(String.fromCodePoint(...bytes));
