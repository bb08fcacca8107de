/** What servers say on a stream of events (SEP-3415, draft: `events/stream`). */
import type { Json } from '@baton/primitives';
import { z } from 'zod';

import { Cursor, problemIn } from './eventMessages.ts';

const prefix = 'notifications/events/';

/** Whether it is about the stream that its `_meta` names. */
export const isStreamNews = (method: string): boolean => method.startsWith(prefix);

const Active = z.object({ cursor: Cursor.nullish(), truncated: z.boolean().nullish() });
const Terminated = z.object({ error: z.object({ message: z.string().optional() }).optional() });

const reasonCharacters = 400;

export type StreamNews =
  /** The server has confirmed, or goes on after events that are lost. */
  | { readonly kind: 'active'; readonly cursor: string | null; readonly isTruncated: boolean }
  /** `event`: as it came; `readOccurrence` reads it. */
  | { readonly kind: 'event'; readonly event: Json; readonly cursor: string | null }
  | { readonly kind: 'heartbeat'; readonly cursor: string | null }
  /** The server says that it sends no more, or what it said is none of these. */
  | { readonly kind: 'terminated'; readonly reason: string };

/** Undefined: it says nothing that has to be kept, such as a failure that passes. */
export function readStreamNews(method: string, params: Json): StreamNews | undefined {
  const name = method.slice(prefix.length);
  if (name === 'terminated') {
    const said = Terminated.safeParse(params).data?.error?.message ?? 'no reason';
    return { kind: 'terminated', reason: said.slice(0, reasonCharacters) };
  }
  if (name !== 'active' && name !== 'event' && name !== 'heartbeat') return undefined;
  const read = Active.safeParse(params);
  if (!read.success) return { kind: 'terminated', reason: `it sent something else: ${problemIn(read.error)}` };
  const { cursor = null, truncated } = read.data;
  if (name === 'heartbeat') return { kind: 'heartbeat', cursor };
  return name === 'active'
    ? { kind: 'active', cursor, isTruncated: truncated === true }
    : { kind: 'event', event: params, cursor };
}
