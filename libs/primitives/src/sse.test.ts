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

test.each(['\n', '\r\n', '\r'])('an event whose lines end with %j is read as soon as it is whole', (end) => {
  const data: string[] = [];
  const reader = new SseReader({ onEvent: (event) => void data.push(event.data) });
  for (const text of [`data: a${end}${end}`, `data: b${end}data: c${end}`, end]) {
    reader.push(new TextEncoder().encode(text));
  }
  expect(data).toEqual(['a', 'b\nc']);
});

test('a line end that is cut in two chunks ends one line', () => {
  const data: string[] = [];
  const reader = new SseReader({ onEvent: (event) => void data.push(event.data) });
  for (const byte of new TextEncoder().encode('data: a\r\ndata: b\r\n\r\n')) reader.push(Uint8Array.of(byte));
  expect(data).toEqual(['a\nb']);
});

test.each(['data: whole', 'data: whole\n', 'data: whole\r'])(
  'the last event of a stream is read without its blank line: %j',
  (text) => {
    const data: string[] = [];
    const reader = new SseReader({ onEvent: (event) => void data.push(event.data) });
    reader.push(new TextEncoder().encode(text));
    reader.end();
    expect(data).toEqual(['whole']);
  },
);

test('an event that never ends is refused', () => {
  const reader = new SseReader({ onEvent: () => {} });
  const chunk = new TextEncoder().encode(`data: ${'x'.repeat(8 * 1024 * 1024)}`);
  expect(() => {
    for (let i = 0; i < 6; i++) reader.push(chunk);
  }).toThrow(/max|size|buffer/i);
});
