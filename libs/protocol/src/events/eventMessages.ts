/**
 * MCP Events (SEP-3415, draft): what servers say about themselves, the answers of `events/poll` and `events/subscribe`,
 * and the bodies that servers post. Revision of the draft: docs/decisions/0038-events-by-the-draft.md.
 */
import { limits } from '@baton/expressions';
import { type Json, type JsonObject, isObject, isStorableText } from '@baton/primitives';
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
export const Cursor = z.string().max(cursorCharacters).refine(isStorableText, 'it has characters that no text has');

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

const Subscribed = z.object({
  refreshBefore: z.iso.datetime({ offset: true }).nullish(),
  cursor: Cursor.nullish(),
  truncated: z.boolean().nullish(),
});

/** The answer of `events/subscribe`. */
export interface EventSubscription {
  /** Epoch milliseconds; undefined: it does not end. */
  readonly refreshBefore: number | undefined;
  readonly cursor: string | null;
  readonly isTruncated: boolean;
}

export function readSubscription(result: unknown): EventSubscription | { readonly problem: string } {
  const read = Subscribed.safeParse(result);
  if (!read.success) return { problem: problemIn(read.error) };
  const { refreshBefore, cursor, truncated } = read.data;
  return {
    refreshBefore: refreshBefore === undefined || refreshBefore === null ? undefined : Date.parse(refreshBefore),
    cursor: cursor ?? null,
    isTruncated: truncated === true,
  };
}

const challengeCharacters = 1_024;
const Posted = z.union([
  z.object({ type: z.literal('verification'), challenge: z.string().min(1).max(challengeCharacters) }),
  z.object({ type: z.literal('gap'), cursor: Cursor.nullish() }),
  z.object({ type: z.literal('terminated'), error: z.object({ message: z.string().optional() }).optional() }),
  // Without a type it is an event, which `readOccurrence` reads.
  z.object({ type: z.undefined().optional(), cursor: Cursor.nullish() }),
]);

/** What a server posts: a word about the subscription, or an event. */
export type PostedEvent = z.output<typeof Posted>;

/** Undefined: it is none of them. */
export const readPosted = (body: unknown): PostedEvent | undefined => Posted.safeParse(body).data;

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

export const problemIn = ({ issues: [first] }: z.ZodError): string =>
  first === undefined ? 'it is malformed' : `"${first.path.join('.').slice(0, 80)}": ${first.message}`;
