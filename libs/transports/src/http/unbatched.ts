/** Splits events with batches of messages, which 2025-03-26 allows, into one event per message. */
import type { SseMessage } from '@baton/primitives';
import { SseReader } from '@baton/primitives';

import { messagesIn } from '../session/messages.ts';

/** `onMessage`: called when an event with data arrives. */
export function unbatched(
  body: ReadableStream<Uint8Array>,
  onMessage: (() => void) | undefined,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let text = '';
  const reader = new SseReader({
    onEvent: (event) => {
      text += textOf(event);
      if (event.data !== '') onMessage?.();
    },
    onRetry: (ms) => {
      text += `retry: ${ms}\n\n`;
    },
  });
  const transform = (chunk: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>): void => {
    reader.push(chunk);
    if (text !== '') controller.enqueue(encoder.encode(text));
    text = '';
  };
  return body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>({ transform }));
}

/** The last message gets the event's id: a resumed stream must not skip messages of a half-read batch. */
function textOf({ id, event, data }: SseMessage): string {
  const batch = data.trimStart().startsWith('[') ? messagesIn(data) : undefined;
  const all = batch?.map((message) => JSON.stringify(message)) ?? [data];
  const name = event === undefined ? '' : `event: ${event}\n`;
  return all
    .map((one, at) => `${id === undefined || at < all.length - 1 ? '' : `id: ${id}\n`}${name}${dataOf(one)}\n`)
    .join('');
}

const dataOf = (data: string): string => data.split('\n').reduce((lines, line) => `${lines}data: ${line}\n`, '');
