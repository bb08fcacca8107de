import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { type DeviceFrame, encodeMessage, encodeText } from './frame.ts';
import { type FrameFault, FrameDecoder } from './frameDecoder.ts';

const usual = { payloadBytes: 100_000, depth: 32 };

function decode(chunks: readonly (Uint8Array | string)[], limits = usual): (DeviceFrame | FrameFault)[] {
  const decoder = new FrameDecoder(limits);
  return chunks.flatMap((chunk) => decoder.push(Buffer.from(chunk)));
}

function cut(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return places.slice(1).map((to, at) => bytes.subarray(places[at], to));
}

const json = (message: unknown, sequence = 0): DeviceFrame => ({ kind: 'json', taskId: 'mcp00001', sequence, message });
const text = (said: string, sequence = 0): DeviceFrame => ({ kind: 'text', taskId: 'task1234', sequence, text: said });
const end = (sequence: number): DeviceFrame => ({ kind: 'end', taskId: 'task1234', sequence });
const fault = (problem: string): FrameFault => ({ kind: 'fault', problem: expect.stringContaining(problem) as string });

/** The frames of the seed's exchange, as they stand there. */
const exchange = [
  '##START\x06mcp00001[0000]{\n"type": "register",\n"data": {\n"services": {\n"get_current_time": {}\n}\n}\n}##END',
  '##START\x04task12340000What time is it?##END',
  '##START\x03task12340001##END',
];
const exchanged = [
  json({ type: 'register', data: { services: { get_current_time: {} } } }),
  text('What time is it?'),
  end(1),
];

describe('the frames of the seed', () => {
  test('are read, and again when they are joined', () => {
    expect(decode(exchange)).toEqual(exchanged);
    expect(decode([exchange.join('')])).toEqual(exchanged);
    expect(decode([exchange.join('\r\n')])).toEqual(exchanged);
  });

  test('are read when they are cut at any place, and at every place', () => {
    const bytes = Buffer.from(exchange.join(''));
    for (let at = 0; at <= bytes.length; at++) {
      expect(decode([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(exchanged);
    }
    expect(decode([...bytes].map((byte) => Buffer.of(byte)))).toEqual(exchanged);
  });

  test('have their sequence in brackets or bare, before JSON and before text', () => {
    expect(decode(['##START\x06mcp000010007{}##END', '##START\x04task1234[0008]hi##END'])).toEqual([
      json({}, 7),
      text('hi', 8),
    ]);
    expect(decode(['##START\x04task1234000042##END'])).toEqual([text('42')]);
    expect(decode(['##START\x04task12340000[0001] is a list##END'])).toEqual([text('[0001] is a list')]);
  });
});

test('an end inside a string of JSON is data, and so is a beginning', () => {
  const message = { say: 'a ##END of "it" \\', and: ['##START', '##END', '\u0006'] };
  expect(decode([`##START\x06mcp00001[0000]${JSON.stringify(message)}##END`, exchange[2] ?? ''])).toEqual([
    json(message),
    end(1),
  ]);
});

test('what is written holds no mark but its own, so that the simplest reader understands it', () => {
  const written = encodeMessage({ say: 'a ##END and ##END##END' });
  expect(written.indexOf('##END')).toBe(written.length - '##END'.length);
  expect(decode([written])).toEqual([json({ say: 'a ##END and ##END##END' })]);
  expect(encodeText('task1234', 'It is 14:30:25 on 22 Jan 2025')).toBe(
    '##START\x04task12340000It is 14:30:25 on 22 Jan 2025##END##START\x03task12340001##END',
  );
});

const character = fc.constantFrom('a', '#', '##END', '##START', '\x06', 'é', '🙂', '"', '\\', '{', '\n', '0', '[');
const anyText = fc.oneof(fc.string({ unit: character, maxLength: 30 }), fc.string({ unit: 'grapheme' }));
const cuts = fc.array(fc.nat(100_000), { maxLength: 12 });

/**
 * Goal: every message comes out as it went in, however the network cuts and joins.
 * Method: messages and texts that are full of marks, encoded one after the other, cut anywhere.
 */
test('any frames, cut anywhere, give the same messages', () => {
  const message = fc.dictionary(anyText, fc.oneof(anyText, fc.jsonValue({ maxDepth: 2 }))).map((value) => {
    return JSON.parse(JSON.stringify(value)) as Record<string, never>;
  });
  const sent = fc.oneof(fc.record({ message }), fc.record({ said: anyText.map((one) => one.replaceAll('\0', '')) }));
  fc.assert(
    fc.property(fc.array(sent, { maxLength: 6 }), cuts, (all, places) => {
      const wire = all.map((one) => ('message' in one ? encodeMessage(one.message) : encodeText('task1234', one.said)));
      const read: unknown[] = [];
      let pieces = '';
      for (const frame of decode(cut(Buffer.from(wire.join('')), places))) {
        if (frame.kind === 'text') pieces += frame.text;
        else if (frame.kind === 'json') read.push(frame.message);
        else {
          read.push(frame.kind === 'end' ? pieces : frame);
          pieces = '';
        }
      }
      expect(read).toEqual(all.map((one) => ('message' in one ? one.message : one.said.toWellFormed())));
    }),
  );
});

/**
 * Goal: nothing that is sent throws, and what is made of it does not depend on where it was cut.
 * Method: pieces of frames and any bytes in any order, in one chunk and in many, with small limits.
 */
test('garbage never throws, and gives the same faults however it was cut', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      ...exchange.map(Buffer.from),
      ...['##START', '##END', '##START\x06mcp00001[0000]'].map(Buffer.from),
    ),
    fc.constantFrom('##START\x04task12340000', '{"a":"', '"}', '\\', '\x06', '##', '#').map(Buffer.from),
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    fc.nat(300).map((length) => Buffer.alloc(length, 'x')),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), cuts, (pieces, places) => {
      const bytes = Buffer.concat(pieces);
      const limits = { payloadBytes: 200, depth: 4 };
      const whole = decode([bytes], limits);
      expect(decode(cut(bytes, places), limits)).toEqual(whole);
      expect(
        decode(
          [...bytes].map((byte) => Buffer.of(byte)),
          limits,
        ),
      ).toEqual(whole);
    }),
  );
});

describe('after a fault the next frame is read', () => {
  test.each([
    ['an unknown type', '##START\x07mcp00001[0000]{}##END', 'does not begin with a type'],
    ['a short task', '##START\x06mcp1[0000]{}##END', 'does not begin with a type'],
    ['letters for a sequence', '##START\x06mcp00001abcd{}##END', 'does not begin with a type'],
    ['no JSON', '##START\x06mcp00001[0000]{"a":}##END', 'is not JSON'],
    ['nothing', '##START\x06mcp00001[0000]##END', 'is not JSON'],
    ['a quote that never closes', '##START\x06mcp00001[0000]{"a: 1}##END\n', 'control character'],
    ['a quote that never closes, and no line end', '##START\x06mcp00001[0000]{"a: 1}##END', 'has no end'],
    ['JSON without an end', '##START\x06mcp00001[0000]{"a": 1}', 'has no end'],
    ['text without an end', '##START\x04task12340000hello', 'has no end'],
    ['bytes that are no UTF-8', Buffer.from('##START\x04task12340000\xff\xfe##END', 'latin1'), 'is not UTF-8'],
    ['a NUL', '##START\x04task12340000a\0b##END', 'holds a NUL'],
    ['too many levels', `##START\x06mcp00001[0000]${'['.repeat(50)}${']'.repeat(50)}##END`, 'nests more than'],
    ['a web request', 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n', 'stand between frames'],
  ])('%s', (_, bad, problem) => {
    expect(decode([bad, ...exchange])).toEqual([fault(problem), ...exchanged]);
  });

  test('a frame that is too large, told before it has ended', () => {
    const limits = { ...usual, payloadBytes: 1_000 };
    expect(decode(['##START\x06mcp00001[0000]"', 'x'.repeat(1_001)], limits)).toEqual([fault('more than 1000 bytes')]);
    expect(decode(['##START\x04task12340000', 'x'.repeat(1_000), '##END'], limits)).toEqual([text('x'.repeat(1_000))]);
    const large = `##START\x04task12340000${'x'.repeat(3_000)}##END`;
    expect(decode([large, ...exchange], limits)).toEqual([fault('more than 1000 bytes'), ...exchanged]);
  });
});

test('a stream without any frame is reported again and again', () => {
  expect(decode(['x'.repeat(10_000)])).toHaveLength(2);
});
