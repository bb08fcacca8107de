/**
 * Goal: a compressed body is read as what it was, however the bytes are cut.
 * Method: each coding that Node knows, alone and nested, over any bytes, cut anywhere.
 */
import * as zlib from 'node:zlib';

import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { BodyDecoder, CodingError, codingsOf } from './decoding.ts';

const encoders: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: zlib.gzipSync,
  'x-gzip': zlib.gzipSync,
  deflate: zlib.deflateSync,
  'deflate (bare)': zlib.deflateRawSync,
  br: zlib.brotliCompressSync,
  zstd: zlib.zstdCompressSync,
  identity: (bytes) => bytes,
};
const nameOf = (encoder: string): string => encoder.split(' ', 1)[0] ?? '';

function decoded(header: string, chunks: readonly Uint8Array[]): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const found: Buffer[] = [];
    const codings = codingsOf(header);
    if (codings.length === 0) return resolve(Buffer.concat(chunks));
    const decoder = new BodyDecoder(codings, {
      onData: (chunk) => found.push(chunk),
      onEnd: () => resolve(Buffer.concat(found)),
      onError: reject,
    });
    for (const chunk of chunks) decoder.push(Buffer.from(chunk), () => {});
    decoder.end();
  });
}

const cut = (bytes: Uint8Array, at: number): Uint8Array[] => {
  const place = Math.min(Math.max(at, 1), bytes.length);
  return [bytes.subarray(0, place), ...(place < bytes.length ? [bytes.subarray(place)] : [])];
};

test('a body is what it was before each coding, and before two of them', async () => {
  const encoder = fc.constantFrom(...Object.keys(encoders));
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 200 }),
      fc.array(encoder, { maxLength: 2 }),
      fc.nat(100),
      async (bytes, used, at) => {
        // Which kind of `deflate` it is, is only known of the outermost coding.
        fc.pre(used.slice(0, -1).every((name) => name !== 'deflate (bare)'));
        const encoded = used.reduce<Uint8Array>((body, name) => encoders[name]?.(body) ?? body, bytes);
        expect([...(await decoded(used.map(nameOf).join(', '), cut(encoded, at)))]).toEqual([...bytes]);
      },
    ),
    { numRuns: 60 },
  );
});

test('a body that ends without its checksum is whole', async () => {
  const encoded = zlib.gzipSync('hello');
  expect(String(await decoded('gzip', [encoded.subarray(0, -8)]))).toBe('hello');
});

test('an event that was flushed is there before the stream ends', async () => {
  for (const [name, stream] of [
    ['gzip', zlib.createGzip()],
    ['deflate', zlib.createDeflate()],
    ['br', zlib.createBrotliCompress()],
    ['zstd', zlib.createZstdCompress()],
  ] as const) {
    const heard = Promise.withResolvers<string>();
    const decoder = new BodyDecoder(codingsOf(name), {
      onData: (chunk) => heard.resolve(String(chunk)),
      onEnd: () => {},
      onError: heard.reject,
    });
    stream.on('data', (chunk: Buffer) => void decoder.push(chunk, () => {}));
    stream.write('data: first\n\n');
    stream.flush();
    expect(await heard.promise).toBe('data: first\n\n');
    decoder.destroy();
  }
});

test.each(['gzip', 'br', 'zstd', 'deflate'])('a body that is no %s says which header lies', async (name) => {
  await expect(decoded(name, [Buffer.from('{"jsonrpc":"2.0"}')])).rejects.toThrow(`"content-encoding: ${name}" says`);
});

test.each(['compress', 'sdch', 'gzip, exotic', 'gzip, gzip, gzip, gzip'])(
  'the coding %s is refused by name',
  (header) => {
    expect(() => codingsOf(header)).toThrow(CodingError);
    expect(() => codingsOf(header)).toThrow('content-encoding');
  },
);

test.each([null, '', 'identity', ' Identity ', 'none'])('the header %j means no coding', (header) => {
  expect(codingsOf(header)).toEqual([]);
});
