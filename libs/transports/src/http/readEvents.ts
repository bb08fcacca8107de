/** Reads the events of an answer to its end. */
import type { SseMessage } from '@baton/primitives';
import { SseReader } from '@baton/primitives';

import type { HttpAnswer } from './answer.ts';

/** Resolves when the stream has ended. Rejects with its error, or with what `onEvent` throws. */
export async function readEvents({ body }: HttpAnswer, onEvent: (event: SseMessage) => void): Promise<void> {
  const reader = new SseReader({ onEvent });
  for await (const chunk of body) reader.push(chunk);
}

export const isEventStream = ({ headers }: HttpAnswer): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true;
