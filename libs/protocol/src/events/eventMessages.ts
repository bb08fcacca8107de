/**
 * MCP Events (SEP-3415, draft): what servers say about themselves, and the answers of `events/poll`. Revision of the
 * draft: docs/decisions/0038-events-by-the-draft.md.
 */
import { limits } from '@baton/expressions';
import { type Json, type JsonObject, isObject } from '@baton/primitives';
import { z } from 'zod';

import { isDeeperThan } from '../messages/content.ts';

const extension = 'io.modelcontextprotocol/events';

/** Servers declare it as an extension, and by the first sketches of the draft as a capability. */
export function offersEvents(capabilities: Readonly<Record<string, unknown>>): boolean {
  const { events, extensions } = capabilities;
  return isObject(events) || (isObject(extensions) && (extensions[extension] ?? undefined) !== undefined);
}

/** A cursor is kept in a row: neither long, nor with characters that Postgres does not store. */
const cursorCharacters = 8_192;
const Cursor = z
  .string()
  .max(cursorCharacters)
  .refine((text) => text.isWellFormed() && !text.includes('\u0000'), 'it has characters that no text has');

const Page = z.object({
  events: z.array(z.unknown()),
  cursor: Cursor.nullish(),
  truncated: z.boolean().nullish(),
  hasMore: z.boolean().nullish(),
  nextPollMs: z.number().nonnegative().nullish(),
});

/** The answer of `events/poll`. */
export interface EventPage {
  /** As they came; `readOccurrence` reads each. */
  readonly events: readonly Json[];
  /** Null: the server cannot replay. */
  readonly cursor: string | null;
  /** Events before these are lost. */
  readonly isTruncated: boolean;
  readonly hasMore: boolean;
  readonly nextPollMs: number | undefined;
}

/** `problem`: what is wrong with the whole answer. */
export function readEventPage(result: unknown): EventPage | { readonly problem: string } {
  const read = Page.safeParse(result);
  if (!read.success) return { problem: problemIn(read.error) };
  const { events, cursor, truncated, hasMore, nextPollMs } = read.data;
  return {
    events: events as readonly Json[],
    cursor: cursor ?? null,
    isTruncated: truncated === true,
    hasMore: hasMore === true,
    nextPollMs: nextPollMs ?? undefined,
  };
}

/** One event that happened. */
export interface Occurrence {
  readonly eventId: string;
  readonly data: JsonObject;
}

const OccurrenceShape = z.object({
  eventId: z.string().min(1).max(limits.poll.keyCharacters),
  name: z.string().optional(),
  data: z.record(z.string(), z.unknown()),
});

/** `name`: of the event that was asked for. */
export function readOccurrence(raw: Json, name: string): Occurrence | { readonly problem: string } {
  if (isDeeperThan(raw, limits.value.depth)) return { problem: `it nests more than ${limits.value.depth} levels deep` };
  const read = OccurrenceShape.safeParse(raw);
  if (!read.success) return { problem: problemIn(read.error) };
  const { eventId, data } = read.data;
  if (read.data.name !== undefined && read.data.name !== name) return { problem: 'it is another event' };
  return { eventId, data: data as JsonObject };
}

const problemIn = ({ issues: [first] }: z.ZodError): string =>
  first === undefined ? 'it is malformed' : `"${first.path.join('.').slice(0, 80)}": ${first.message}`;
