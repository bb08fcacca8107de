/**
 * What a server offers: its tools, prompts, resources and resource templates.
 *
 * All of it is untrusted text. It is limited in size, unreliable parts are left out and named, and text for people is
 * cleaned; the digests are of the original.
 */
import { FailureError } from '@baton/engine';
import { soundSchema } from '@baton/expressions';
import { type JsonObject, cleanText, isObject, membersOf } from '@baton/primitives';
import { z } from 'zod';

import { offersEvents } from '../events/eventMessages.ts';
import { isDeeperThan } from '../messages/content.ts';
import { paramHeadersIn } from '../messages/paramHeaders.ts';
import { digestTool, type ToolDefinition, type ToolDigests } from './toolDigest.ts';

const pagesMax = 64;
/** Entries of one list, including those that are left out. */
const entriesMax = 2_000;
const listCharacters = 32 * 1024 * 1024;
const entryCharacters = 256 * 1024;
const problemsMax = 100;
const problemCharacters = 400;
const schemaDepth = 64;
const textCharacters = 8_192;

const nameCharacters = 256;
const Name = z.string().min(1).max(nameCharacters);
const Text = z.string().transform((text) => cleanText(text, textCharacters));
const Schema = z.record(z.string(), z.json());

const described = { name: Name, title: Text.optional(), description: Text.optional() };

const Tool = z.looseObject({
  ...described,
  inputSchema: Schema,
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

/** SEP-3415, `events/list`. */
const EventType = z.looseObject({
  ...described,
  delivery: z.array(z.string()),
  inputSchema: Schema,
  payloadSchema: Schema,
});

export type Tool = Readonly<z.infer<typeof Tool>> & { readonly digests: ToolDigests };
export type Prompt = Readonly<z.infer<typeof Prompt>>;
export type EventType = Readonly<z.infer<typeof EventType>>;
type Resource = Readonly<z.infer<typeof Resource>>;
type ResourceTemplate = Readonly<z.infer<typeof ResourceTemplate>>;

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
  /** Absent: it offers no events (SEP-3415), or they are off. */
  readonly events?: readonly EventType[];
  readonly resources: readonly Resource[];
  readonly resourceTemplates: readonly ResourceTemplate[];
  /** What is wrong with the lists, as sentences. */
  readonly problems: readonly string[];
  /** Tools and prompts that the server lists and Baton does not offer. */
  readonly leftOut: readonly LeftOut[];
  /** Milliseconds of a clock that never goes back. */
  readonly readAt: number;
  /** By the same clock: when the server wants it read again (`ttlMs`, 2026-07-28). */
  readonly staleAt: number;
}

interface LeftOut {
  readonly name: string;
  readonly why: string;
}

export interface CatalogueReading {
  /** Resolves to undefined where the server does not know the method. Rejects with `FailureError`. */
  readonly request: (method: string, params: JsonObject) => Promise<unknown>;
  /** Whether events (SEP-3415) are asked for. Absent: no. */
  readonly withEvents?: boolean;
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
  const findings = new Findings();
  const readAt = reading.now();
  const { capabilities, protocolVersion, server, instructions, prior } = introduction;
  const isListed = (capability: string): boolean => (capabilities[capability] ?? undefined) !== undefined;
  const from = { ...reading, isLast: prior.kind === 'legacy' ? isEmptyOrNone : isNone };
  const list = async <T>(capability: string, method: string, member: string, read: Reader<T>): Promise<List<T>> =>
    isListed(capability) ? readList(method, member, read, from, findings) : nothing;
  const isBare = !['tools', 'prompts', 'resources'].some(isListed);
  const tools = isBare ? await undeclaredTools(from, findings) : await list('tools', 'tools/list', 'tools', asTool);
  const prompts = await list('prompts', 'prompts/list', 'prompts', by(Prompt));
  const resources = await list('resources', 'resources/list', 'resources', by(Resource));
  const templates = await list('resources', 'resources/templates/list', 'resourceTemplates', by(ResourceTemplate));
  const hasEvents = reading.withEvents === true && offersEvents(capabilities);
  const events = hasEvents ? await readList('events/list', 'events', asEvent, from, findings) : undefined;
  return {
    protocolVersion,
    server,
    instructions: instructions === undefined ? undefined : cleanText(instructions, textCharacters),
    tools: withoutDoubles(callable(introduction, tools.items, findings), findings),
    prompts: prompts.items,
    ...(events === undefined ? {} : { events: events.items }),
    resources: resources.items,
    resourceTemplates: templates.items,
    problems: findings.shortened,
    leftOut: findings.leftOut.slice(0, entriesMax),
    readAt,
    staleAt: Math.min(...[tools, prompts, resources, templates, events ?? nothing].map((one) => one.staleAt)),
  };
}

/** A server that declares nothing may have tools nevertheless. */
async function undeclaredTools(from: PagedReading, findings: Findings): Promise<List<Tool>> {
  const list = await readList('tools/list', 'tools', asTool, { ...from, isOptional: true }, new Findings());
  if (list.items.length === 0) return nothing;
  findings.add('tools/list: the server has tools, and does not declare the capability "tools"');
  return list;
}

/** What is wrong with the lists of one server. */
class Findings {
  readonly leftOut: LeftOut[] = [];
  readonly #problems: string[] = [];

  add(problem: string): void {
    this.#problems.push(problem);
  }

  /** `raw`: an entry that is not offered. */
  leave(method: string, raw: unknown, why: string): void {
    this.#problems.push(`${method}: ${nameOf(raw)}: ${why}`);
    const name = isObject(raw) ? raw['name'] : undefined;
    if (typeof name === 'string' && name.length <= nameCharacters) this.leftOut.push({ name, why });
  }

  get shortened(): readonly string[] {
    const more = this.#problems.length - problemsMax;
    return more > 0 ? [...this.#problems.slice(0, problemsMax), `and ${more} more of the kind`] : this.#problems;
  }
}

const isNone = (cursor: unknown): boolean => typeof cursor !== 'string';
/** Before 2026-07-28 servers write an empty cursor on the last page; since then it is one like any other. */
const isEmptyOrNone = (cursor: unknown): boolean => isNone(cursor) || cursor === '';

interface PagedReading extends CatalogueReading {
  /** Whether there is no page after this cursor. */
  readonly isLast: (nextCursor: unknown) => boolean;
  /** The server may refuse to list. */
  readonly isOptional?: boolean;
}

/** Throws `ZodError`. */
type Reader<T> = (raw: unknown) => T;

const by =
  <T>(schema: z.ZodType<T>): Reader<T> =>
  (raw) =>
    schema.parse(raw);

/** The digests are of the schemas as they came, and what is wrong with them is repaired or named where they are used. */
const asTool: Reader<Tool> = (raw) => {
  const given = membersOf(raw);
  const { inputSchema, outputSchema } = given;
  const sound = {
    ...given,
    inputSchema: soundSchema(inputSchema).schema,
    ...(outputSchema === undefined ? {} : { outputSchema: soundSchema(outputSchema).schema }),
  };
  return { ...Tool.parse(sound), digests: digestTool(raw as ToolDefinition) };
};

const asEvent: Reader<EventType> = (raw) => {
  const given = membersOf(raw);
  const sound = (schema: unknown) => soundSchema(schema ?? {}).schema;
  return EventType.parse({
    ...given,
    inputSchema: sound(given['inputSchema']),
    payloadSchema: sound(given['payloadSchema']),
  });
};

/** Page by page. */
async function readList<T>(
  method: string,
  member: string,
  read: Reader<T>,
  reading: PagedReading,
  findings: Findings,
): Promise<List<T>> {
  const { now, isLast: isEnd } = reading;
  const entries = new ListEntries(method, read, findings);
  const cursors = new Set<string>();
  let staleAt = Number.POSITIVE_INFINITY;
  let cursor: string | undefined;
  for (let page = 0; page < pagesMax && !entries.isFull; page++) {
    const result = await requestPage(method, cursor, reading);
    if (typeof result !== 'object') {
      if (result !== undefined) findings.add(result);
      return { items: entries.items, staleAt };
    }
    const { [member]: raw = [], nextCursor, ttlMs } = result;
    if (typeof ttlMs === 'number') staleAt = Math.min(staleAt, now() + ttlMs);
    if (!Array.isArray(raw)) findings.add(`${method}: "${member}" is not a list`);
    else for (const item of raw as readonly unknown[]) entries.add(item);
    const { items, isCut } = entries;
    const isLast = isEnd(nextCursor);
    if (isLast && !isCut) return { items, staleAt };
    if (isLast || typeof nextCursor !== 'string') break;
    if (cursors.has(nextCursor)) {
      findings.add(`${method}: the pages go round in a circle, and were read once`);
      return { items, staleAt };
    }
    cursors.add(nextCursor);
    cursor = nextCursor;
  }
  findings.add(`${method}: there are more than ${entries.items.length}, and the rest was not read`);
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
  { request, isOptional = method !== 'tools/list' }: PagedReading,
): Promise<Readonly<Record<string, unknown>> | string | undefined> {
  try {
    const result = await request(method, cursor === undefined ? {} : { cursor });
    if (result === undefined) return undefined;
    return membersOf(result);
  } catch (error) {
    if (!isOptional || !(error instanceof FailureError) || !refusals.has(error.code)) throw error;
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
  readonly #findings: Findings;
  #count = 0;
  #characters = 0;

  constructor(method: string, read: Reader<T>, findings: Findings) {
    this.#method = method;
    this.#read = read;
    this.#findings = findings;
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
    if (problem !== undefined) this.#findings.leave(this.#method, raw, problem);
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

function nameOf(raw: unknown): string {
  const name = typeof raw === 'object' && raw !== null && 'name' in raw ? raw.name : undefined;
  return typeof name === 'string' ? `"${cleanText(name, 80)}"` : 'an entry without a name';
}

/** Since 2026-07-28 a tool may ask for headers; a tool that asks for invalid ones must not be used. */
function callable({ prior }: IntroducedServer, tools: readonly Tool[], findings: Findings): readonly Tool[] {
  if (prior.kind === 'legacy') return tools;
  return tools.filter((tool) => {
    const headers = paramHeadersIn(tool.inputSchema);
    if ('problem' in headers) findings.leave('tools/list', tool, cleanText(headers.problem, 200));
    return !('problem' in headers);
  });
}

function withoutDoubles(tools: readonly Tool[], findings: Findings): Tool[] {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    if (byName.has(tool.name)) findings.add(`tools/list: "${cleanText(tool.name, 80)}" is offered twice`);
    else byName.set(tool.name, tool);
  }
  return [...byName.values()];
}
