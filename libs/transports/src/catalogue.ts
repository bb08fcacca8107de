/**
 * What a server offers: its tools, prompts, resources and resource templates.
 *
 * All of it is somebody else's text. What is kept of it is limited, what cannot be relied on is left out and named, and
 * what people will see is cleaned; the digests are of what the server really said.
 */
import type { JsonObject } from '@baton/language';
import { cleanText, digestTool, isDeeperThan, paramHeadersIn } from '@baton/protocol';
import type { ToolDefinition, ToolDigests } from '@baton/protocol';
import { z } from 'zod';

import { isMethodUnknown } from './failure/rpcFailure.ts';
import type { Introduction } from './session.ts';

const pagesMax = 64;
const itemsMax = 2_000;
const entryCharacters = 256 * 1024;
const schemaDepth = 64;
const textCharacters = 8_192;

const Name = z.string().min(1).max(256);
const Text = z.string().transform((text) => cleanText(text, textCharacters));
const Schema = z.record(z.string(), z.json());

const described = { name: Name, title: Text.optional(), description: Text.optional() };

const Tool = z.looseObject({
  ...described,
  inputSchema: Schema.default({ type: 'object' }),
  outputSchema: Schema.optional(),
  annotations: z
    .looseObject({
      title: Text.optional(),
      readOnlyHint: z.boolean().optional(),
      destructiveHint: z.boolean().optional(),
      idempotentHint: z.boolean().optional(),
      openWorldHint: z.boolean().optional(),
    })
    .optional(),
  execution: z.looseObject({ taskSupport: z.string().optional() }).optional(),
});
const Prompt = z.looseObject({
  ...described,
  arguments: z.array(z.looseObject({ ...described, required: z.boolean().optional() })).default([]),
});
const Resource = z.looseObject({ ...described, uri: z.string().min(1).max(8_192), mimeType: z.string().optional() });
const ResourceTemplate = z.looseObject({ ...described, uriTemplate: z.string().min(1).max(8_192) });

export type Tool = Readonly<z.infer<typeof Tool>> & { readonly digests: ToolDigests };
export type Prompt = Readonly<z.infer<typeof Prompt>>;
export type Resource = Readonly<z.infer<typeof Resource>>;
export type ResourceTemplate = Readonly<z.infer<typeof ResourceTemplate>>;

export interface Catalogue {
  readonly protocolVersion: string;
  readonly server: Introduction['server'];
  readonly instructions: string | undefined;
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly resourceTemplates: readonly ResourceTemplate[];
  /** What was left out, and why. */
  readonly problems: readonly string[];
  /** On the clock of `performance.now()`. */
  readonly readAt: number;
  /** The same: when the server wants it read again (`ttlMs`, 2026-07-28). */
  readonly staleAt: number;
}

/** Rejects with `FailureError`. */
export type Request = (method: string, params: JsonObject) => Promise<unknown>;

interface List<T> {
  readonly items: readonly T[];
  readonly staleAt: number;
}

const nothing: List<never> = { items: [], staleAt: Number.POSITIVE_INFINITY };

/** Rejects with `FailureError`. */
export async function readCatalogue(introduction: Introduction, request: Request): Promise<Catalogue> {
  const problems: string[] = [];
  const readAt = performance.now();
  const { capabilities, protocolVersion, server, instructions } = introduction;
  const list = async <T>(capability: string, method: string, member: string, read: Reader<T>): Promise<List<T>> =>
    capabilities[capability] === undefined ? nothing : readList(method, member, read, request, problems);
  const tools = await list('tools', 'tools/list', 'tools', asTool);
  const prompts = await list('prompts', 'prompts/list', 'prompts', by(Prompt));
  const resources = await list('resources', 'resources/list', 'resources', by(Resource));
  const templates = await list('resources', 'resources/templates/list', 'resourceTemplates', by(ResourceTemplate));
  return {
    protocolVersion,
    server,
    instructions: instructions === undefined ? undefined : cleanText(instructions, textCharacters),
    tools: withoutDoubles(callable(introduction, tools.items, problems), problems),
    prompts: prompts.items,
    resources: resources.items,
    resourceTemplates: templates.items,
    problems,
    readAt,
    staleAt: Math.min(tools.staleAt, prompts.staleAt, resources.staleAt, templates.staleAt),
  };
}

/** Throws `ZodError`. */
type Reader<T> = (raw: unknown) => T;

const by =
  <T>(schema: z.ZodType<T>): Reader<T> =>
  (raw) =>
    schema.parse(raw);

const asTool: Reader<Tool> = (raw) => ({ ...Tool.parse(raw), digests: digestTool(raw as ToolDefinition) });

/** Page by page; no cursor, an empty one, or the same one again is the end. */
async function readList<T>(
  method: string,
  member: string,
  read: Reader<T>,
  request: Request,
  problems: string[],
): Promise<List<T>> {
  const items: T[] = [];
  let staleAt = Number.POSITIVE_INFINITY;
  let cursor: string | undefined;
  for (let page = 0; page < pagesMax; page++) {
    const result = await requestPage(method, cursor, request);
    if (result === undefined) return nothing;
    const { [member]: raw = [], nextCursor, ttlMs } = result;
    if (typeof ttlMs === 'number') staleAt = Math.min(staleAt, performance.now() + ttlMs);
    if (!Array.isArray(raw)) problems.push(`${method}: "${member}" is not a list`);
    else for (const item of raw as readonly unknown[]) readItem(item, method, read, items, problems);
    if (typeof nextCursor !== 'string' || nextCursor === '' || nextCursor === cursor) return { items, staleAt };
    if (items.length >= itemsMax) break;
    cursor = nextCursor;
  }
  problems.push(`${method}: there are more than ${items.length}, and the rest was not read`);
  return { items, staleAt };
}

/** Undefined where the server does not know the method, though it said it would. */
async function requestPage(
  method: string,
  cursor: string | undefined,
  request: Request,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const result = await request(method, cursor === undefined ? {} : { cursor });
    return typeof result === 'object' && result !== null ? (result as Readonly<Record<string, unknown>>) : {};
  } catch (error) {
    if (isMethodUnknown(error)) return undefined;
    throw error;
  }
}

function readItem<T>(raw: unknown, method: string, read: Reader<T>, items: T[], problems: string[]): void {
  if (items.length >= itemsMax) return;
  const problem = problemOf(raw);
  if (problem === undefined) {
    try {
      items.push(read(raw));
      return;
    } catch (error) {
      if (!(error instanceof z.ZodError)) throw error;
      const [issue] = error.issues;
      problems.push(`${method}: ${nameOf(raw)}: ${issue?.path.join('.')}: ${issue?.message}`);
    }
  } else problems.push(`${method}: ${nameOf(raw)}: ${problem}`);
}

function problemOf(raw: unknown): string | undefined {
  if (isDeeperThan(raw, schemaDepth)) return `it nests more than ${schemaDepth} levels deep`;
  return JSON.stringify(raw).length > entryCharacters ? `it is larger than ${entryCharacters} characters` : undefined;
}

function nameOf(raw: unknown): string {
  const name = typeof raw === 'object' && raw !== null && 'name' in raw ? raw.name : undefined;
  return typeof name === 'string' ? `"${cleanText(name, 80)}"` : 'an entry without a name';
}

/** From 2026-07-28 on a tool may want headers, and one that wants wrong ones is not to be used. */
function callable({ prior }: Introduction, tools: readonly Tool[], problems: string[]): readonly Tool[] {
  if (prior.kind === 'legacy') return tools;
  return tools.filter((tool) => {
    const headers = paramHeadersIn(tool.inputSchema);
    if ('problem' in headers) problems.push(`tools/list: ${nameOf(tool)}: ${cleanText(headers.problem, 200)}`);
    return !('problem' in headers);
  });
}

function withoutDoubles(tools: readonly Tool[], problems: string[]): Tool[] {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    if (byName.has(tool.name)) problems.push(`tools/list: "${cleanText(tool.name, 80)}" is offered twice`);
    else byName.set(tool.name, tool);
  }
  return [...byName.values()];
}
