/**
 * Decodes bodies that a server compressed, although Baton asks for none that are (RFC 9110, section 8.4). Sizes are
 * limited by what comes out.
 */
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';

/** Servers nest codings by mistake; each costs memory. */
const codingsMax = 3;

type Coding = 'gzip' | 'deflate' | 'br' | 'zstd';
const coded: Readonly<Record<string, Coding>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'br',
  zstd: 'zstd',
};

/** The body cannot be decoded. */
export class CodingError extends Error {
  override readonly name = 'CodingError';
}

/** The codings of a body, in the order in which they are undone. Throws `CodingError` for one that Baton does not know. */
export function codingsOf(header: string | null): readonly Coding[] {
  const names = (header ?? '').split(',').map((name) => name.trim().toLowerCase());
  const codings = names
    .filter((name) => name !== '' && name !== 'identity' && name !== 'none')
    .map((name) => {
      const coding = coded[name];
      if (coding !== undefined) return coding;
      throw new CodingError(
        `the answer has the header "content-encoding: ${name.slice(0, 40)}", which Baton cannot decode`,
      );
    });
  if (codings.length > codingsMax)
    throw new CodingError('the header "content-encoding" of the answer names too many codings');
  return codings.toReversed();
}

export interface DecodingListener {
  readonly onData: (chunk: Buffer) => void;
  readonly onEnd: () => void;
  readonly onError: (error: Error) => void;
}

/** Undoes the codings, one after the other. */
export class BodyDecoder {
  readonly #codings: readonly Coding[];
  readonly #listener: DecodingListener;
  /** Made with the first bytes, which tell the two kinds of `deflate` apart. */
  #stages: readonly Transform[] | undefined;

  constructor(codings: readonly Coding[], listener: DecodingListener) {
    this.#codings = codings;
    this.#listener = listener;
  }

  /** False: wait for `onDrain` before the next chunk. */
  push(chunk: Buffer, onDrain: () => void): boolean {
    this.#stages ??= this.#open(chunk);
    const [first] = this.#stages;
    if (first === undefined || first.write(chunk)) return true;
    first.once('drain', onDrain);
    return false;
  }

  end(): void {
    if (this.#stages === undefined) this.#listener.onEnd();
    else this.#stages[0]?.end();
  }

  destroy(): void {
    for (const stage of this.#stages ?? []) stage.destroy();
  }

  #open(beginning: Buffer): readonly Transform[] {
    const { onData, onEnd, onError } = this.#listener;
    const stages = this.#codings.map((coding, at) => decoderOf(coding, at === 0 ? beginning : undefined));
    for (const [at, stage] of stages.entries()) {
      stage.on('error', (error) => {
        this.destroy();
        onError(
          new CodingError(
            `the answer is not what its header "content-encoding: ${this.#codings[at]}" says: ${error.message}`,
          ),
        );
      });
      const next = stages[at + 1];
      if (next !== undefined) stage.pipe(next);
    }
    const last = stages.at(-1);
    last?.on('data', onData);
    last?.on('end', onEnd);
    return stages;
  }
}

/** An end without its checksum counts as an end: some servers leave it out. */
const flushing = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH };
const { BROTLI_OPERATION_FLUSH: brotliFlush, ZSTD_e_flush: zstdFlush } = zlib.constants;

function decoderOf(coding: Coding, beginning: Buffer | undefined): Transform {
  switch (coding) {
    case 'gzip':
      return zlib.createGunzip(flushing);
    case 'br':
      return zlib.createBrotliDecompress({ flush: brotliFlush, finishFlush: brotliFlush });
    case 'zstd':
      return zlib.createZstdDecompress({ flush: zstdFlush, finishFlush: zstdFlush });
    case 'deflate':
      return beginning === undefined || isZlib(beginning)
        ? zlib.createInflate(flushing)
        : zlib.createInflateRaw(flushing);
  }
}

/** RFC 1950: the method is in the low half of the first byte. Some servers send the bare data of RFC 1951. */
const isZlib = (bytes: Buffer): boolean => ((bytes[0] ?? 0) & 0x0f) === 8;
