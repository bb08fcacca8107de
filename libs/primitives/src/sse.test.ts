import { expect, test } from 'vitest';

import { readSse, SseReader } from './sse.ts';

const bodyOf = (...chunks: string[]): ReadableStream<Uint8Array> =>
  ReadableStream.from(chunks.map((chunk) => new TextEncoder().encode(chunk)));

test('events come whole, however the bytes are cut', async () => {
  const body = bodyOf('id: 1\nda', 'ta: caf\u00e9\n\n: alive\n\nretry: 50\nid: 2\ndata: b\n', '\ndata: cut off');
  const signs: string[] = [];
  const options = { onSign: () => void signs.push('chunk'), onRetry: (ms: number) => void signs.push(`retry ${ms}`) };
  const events = await Array.fromAsync(readSse(body, options), ({ id, data }) => [id, data]);
  expect(events).toEqual([
    ['1', 'caf\u00e9'],
    ['2', 'b'],
  ]);
  expect(signs).toEqual(['chunk', 'chunk', 'retry 50', 'chunk']);
});

test('a character that is cut in two chunks is read whole', () => {
  const data: string[] = [];
  const reader = new SseReader({ onEvent: (event) => void data.push(event.data) });
  for (const byte of new TextEncoder().encode('data: 🙂\n\n')) reader.push(Uint8Array.of(byte));
  expect(data).toEqual(['🙂']);
});

test('an event that never ends is refused', () => {
  const reader = new SseReader({ onEvent: () => {} });
  const chunk = new TextEncoder().encode(`data: ${'x'.repeat(8 * 1024 * 1024)}`);
  expect(() => {
    for (let i = 0; i < 6; i++) reader.push(chunk);
  }).toThrow(/max|size|buffer/i);
});
