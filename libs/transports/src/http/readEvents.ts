/** Reads a stream of events (HTML living standard, 9.2.6) to its end. */
import { createParser } from 'eventsource-parser';
import type { EventSourceMessage } from 'eventsource-parser';

import type { HttpAnswer } from './answer.ts';

/** Resolves when the stream has ended. Rejects with its error, or with what `onEvent` throws. */
export async function readEvents(answer: HttpAnswer, onEvent: (event: EventSourceMessage) => void): Promise<void> {
  const parser = createParser({ onEvent });
  const decoder = new TextDecoder();
  for await (const chunk of answer.body) parser.feed(decoder.decode(chunk, { stream: true }));
}

export const isEventStream = ({ headers }: HttpAnswer): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true;
