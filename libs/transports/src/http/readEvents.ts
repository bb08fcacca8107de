/** Reads the events of an answer to its end. */
import { type SseMessage, SseReader } from '@baton/primitives';

import type { HttpAnswer } from './answer.ts';

export interface EventListener {
  readonly onEvent: (event: SseMessage) => void;
  /** How long the server wants clients to wait before they open the stream again. */
  readonly onRetry?: ((ms: number) => void) | undefined;
}

/**
 * Resolves when the stream has ended: to its text, if it is JSON under the name of events. Rejects with its error, or
 * with what `onEvent` throws.
 */
export async function readEvents({ body }: HttpAnswer, listener: EventListener): Promise<string | undefined> {
  const reader = new SseReader(listener);
  let json: Uint8Array[] | undefined;
  let isFirst = true;
  for await (const chunk of body) {
    if (isFirst && beginsJson(chunk)) json = [];
    isFirst = false;
    if (json === undefined) reader.push(chunk);
    else json.push(chunk);
  }
  reader.end();
  return json === undefined ? undefined : Buffer.concat(json).toString('utf8');
}

/** No field of an event begins like an object or a list. */
const beginsJson = (chunk: Uint8Array): boolean => chunk[0] === 0x7b || chunk[0] === 0x5b;

/** The media type of an answer, without parameters; of several only the first counts. */
export const mediaTypeOf = ({ headers }: HttpAnswer): string =>
  (headers.get('content-type') ?? '').split(/[;,]/, 1)[0]?.trim().toLowerCase() ?? '';

export const isEventStream = (answer: HttpAnswer): boolean => mediaTypeOf(answer) === 'text/event-stream';
