import { expect, test } from 'vitest';

import { unbatched } from './unbatched.ts';

const message = (id: number) => ({ jsonrpc: '2.0', id, result: {} });

async function taken(chunks: readonly string[]): Promise<string> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });
  let text = '';
  for await (const chunk of unbatched(body, undefined)) text += new TextDecoder().decode(chunk);
  return text;
}

test('a batch becomes an event for each message, and its id goes with the last', async () => {
  const batch = `id: 7\nevent: message\ndata: ${JSON.stringify([message(1), message(2)])}\n\n`;
  expect(await taken([batch])).toBe(
    `event: message\ndata: ${JSON.stringify(message(1))}\n\nid: 7\nevent: message\ndata: ${JSON.stringify(message(2))}\n\n`,
  );
});

test('other events stay unchanged, wherever the stream is cut', async () => {
  const events = `retry: 5\n\nid: 1\ndata: \n\ndata: ${JSON.stringify(message(1))}\n\ndata: [1]\n\ndata: a\ndata: b\n\n`;
  for (let at = 0; at <= events.length; at++) {
    expect(await taken([events.slice(0, at), events.slice(at)])).toBe(events);
  }
});
