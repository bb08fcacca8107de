/**
 * What a server offers: its tools, prompts, resources and resource templates.
 *
 * All of it is untrusted text. It is limited in size, unreliable parts are left out and named, and text for people is
 * cleaned; the digests are of the original.
 */
import { FailureError } from '@baton/engine';
import type { JsonObject } from '@baton/language';
import { cleanText, isObject } from '@baton/primitives';
import { z } from 'zod';

import { isDeeperThan } from '../messages/content.ts';
import { paramHeadersIn } from '../messages/paramHeaders.ts';
import { digestTool } from './toolDigest.ts';
import type { ToolDefinition, ToolDigests } from './toolDigest.ts';

const pagesMax = 64;
/** Entries of one list, including those that are left out. */
const entriesMax = 2_000;
const listCharacters = 32 * 1024 * 1024;
const entryCharacters = 256 * 1024;
const problemsMax = 100;
const problemCharacters = 400;
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

/** How a server introduced itself. */
export interface IntroducedServer {
  readonly protocolVersion: string;
  readonly server: { readonly name: string; readonly version: string } | undefined;
  /** What it says it can do: `tools`, `prompts`, `resources`, … */
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly instructions: string | undefined;
  /** `modern`: 2026-07-28 and later. */
  readonly prior: { readonly kind: 'legacy' | 'modern' };
}

export interface Catalogue {
  readonly protocolVersion: string;
  readonly server: IntroducedServer['server'];
  readonly instructions: string | undefined;
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly resourceTemplates: readonly ResourceTemplate[];
  /** What was left out, and why. */
  readonly problems: readonly string[];
  /** Milliseconds of a clock that never goes back. */
  readonly readAt: number;
  /** By the same clock: when the server wants it read again (`ttlMs`, 2026-07-28). */
  readonly staleAt: number;
}

export interface CatalogueReading {
  /** Resolves to undefined where the server does not know the method. Rejects with `FailureError`. */
  readonly request: (method: string, params: JsonObject) => Promise<unknown>;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

interface List<T> {
  readonly items: readonly T[];
  readonly staleAt: number;
}

const nothing: List<never> = { items: [], staleAt: Number.POSITIVE_INFINITY };

/** Rejects with `FailureError`. */
export async function readCatalogue(introduction: IntroducedServer, reading: CatalogueReading): Promise<Catalogue> {
  const problems: string[] = [];
  const readAt = reading.now();
  const { capabilities, protocolVersion, server, instructions } = introduction;
  const list = async <T>(capability: string, method: string, member: string, read: Reader<T>): Promise<List<T>> =>
    capabilities[capability] === undefined ? nothing : readList(method, member, read, reading, problems);
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
    problems: shortened(problems),
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

/** Page by page; no cursor, or an empty one, is the end. */
async function readList<T>(
  method: string,
  member: string,
  read: Reader<T>,
  { request, now }: CatalogueReading,
  problems: string[],
): Promise<List<T>> {
  const entries = new ListEntries(method, read, problems);
  const cursors = new Set<string>();
  let staleAt = Number.POSITIVE_INFINITY;
  let cursor: string | undefined;
  for (let page = 0; page < pagesMax && !entries.isFull; page++) {
    const result = await requestPage(method, cursor, request);
    if (typeof result !== 'object') {
      if (result !== undefined) problems.push(result);
      return { items: entries.items, staleAt };
    }
    const { [member]: raw = [], nextCursor, ttlMs } = result;
    if (typeof ttlMs === 'number') staleAt = Math.min(staleAt, now() + ttlMs);
    if (!Array.isArray(raw)) problems.push(`${method}: "${member}" is not a list`);
    else for (const item of raw as readonly unknown[]) entries.add(item);
    const { items, isCut } = entries;
    const isLast = typeof nextCursor !== 'string' || nextCursor === '';
    if (isLast && !isCut) return { items, staleAt };
    if (isLast) break;
    if (cursors.has(nextCursor)) {
      problems.push(`${method}: the pages go round in a circle, and were read once`);
      return { items, staleAt };
    }
    cursors.add(nextCursor);
    cursor = nextCursor;
  }
  problems.push(`${method}: there are more than ${entries.items.length}, and the rest was not read`);
  return { items: entries.items, staleAt };
}

/** The errors of servers that do not support a list. */
const refusals: ReadonlySet<string> = new Set([
  'server-error',
  'server-rejected',
  'invalid-arguments',
  'tool-not-found',
]);

/**
 * Undefined if the server does not know the method although it declared it; a sentence if it answers with an error.
 * The list of tools must succeed; the other lists may fail.
 */
async function requestPage(
  method: string,
  cursor: string | undefined,
  request: CatalogueReading['request'],
): Promise<Readonly<Record<string, unknown>> | string | undefined> {
  try {
    const result = await request(method, cursor === undefined ? {} : { cursor });
    if (result === undefined) return undefined;
    return isObject(result) ? result : {};
  } catch (error) {
    if (method === 'tools/list' || !(error instanceof FailureError) || !refusals.has(error.code)) throw error;
    return cleanText(error.message, problemCharacters);
  }
}

/** The part of a list that is kept. */
class ListEntries<T> {
  readonly items: T[] = [];
  /** There were more. */
  isCut = false;
  readonly #method: string;
  readonly #read: Reader<T>;
  readonly #problems: string[];
  #count = 0;
  #characters = 0;

  constructor(method: string, read: Reader<T>, problems: string[]) {
    this.#method = method;
    this.#read = read;
    this.#problems = problems;
  }

  get isFull(): boolean {
    return this.#count >= entriesMax || this.#characters >= listCharacters;
  }

  add(raw: unknown): void {
    if (this.isFull) {
      this.isCut = true;
      return;
    }
    this.#count += 1;
    const problem = this.#problemOf(raw);
    if (problem !== undefined) this.#problems.push(`${this.#method}: ${nameOf(raw)}: ${problem}`);
  }

  /** Undefined where it is kept. */
  #problemOf(raw: unknown): string | undefined {
    if (isDeeperThan(raw, schemaDepth)) return `it nests more than ${schemaDepth} levels deep`;
    const { length } = JSON.stringify(raw);
    this.#characters += length;
    if (length > entryCharacters) return `it is larger than ${entryCharacters} characters`;
    try {
      this.items.push(this.#read(raw));
      return undefined;
    } catch (error) {
      if (!(error instanceof z.ZodError)) throw error;
      const [issue] = error.issues;
      return cleanText(`${issue?.path.join('.')}: ${issue?.message}`, problemCharacters);
    }
  }
}

function shortened(problems: readonly string[]): readonly string[] {
  const more = problems.length - problemsMax;
  return more > 0 ? [...problems.slice(0, problemsMax), `and ${more} more of the kind`] : problems;
}

function nameOf(raw: unknown): string {
  const name = typeof raw === 'object' && raw !== null && 'name' in raw ? raw.name : undefined;
  return typeof name === 'string' ? `"${cleanText(name, 80)}"` : 'an entry without a name';
}

/** Since 2026-07-28 a tool may ask for headers; a tool that asks for invalid ones must not be used. */
function callable({ prior }: IntroducedServer, tools: readonly Tool[], problems: string[]): readonly Tool[] {
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
