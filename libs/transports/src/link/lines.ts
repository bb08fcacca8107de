/**
 * Splits a stream of bytes into lines, and holds at most `bytesMax` of an unfinished line. Of a longer line it keeps
 * only the beginning and the end, and reports it when it ends; the stream continues.
 */
import { isUtf8 } from 'node:buffer';

export interface LongLine {
  readonly bytes: number;
  readonly head: string;
  readonly tail: string;
}

export interface LineReader {
  /** `isSound`: the bytes are UTF-8; otherwise the text holds replacement characters. */
  line(text: string, isSound: boolean): void;
  longLine(line: LongLine): void;
}

const newline = 0x0a;
const keptBytes = 4_096;

export class LineSplitter {
  readonly #bytesMax: number;
  readonly #reader: LineReader;
  /** The unfinished line. */
  #parts: Buffer[] = [];
  #bytes = 0;
  #head: Buffer | undefined;
  #tail: Buffer = Buffer.alloc(0);

  constructor(bytesMax: number, reader: LineReader) {
    this.#bytesMax = bytesMax;
    this.#reader = reader;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let to = chunk.indexOf(newline); to >= 0; to = chunk.indexOf(newline, from)) {
      if (this.#bytes === 0 && to - from <= this.#bytesMax) this.#read(chunk.subarray(from, to));
      else {
        this.#add(chunk.subarray(from, to));
        this.#end();
      }
      from = to + 1;
    }
    if (from < chunk.length) this.#add(from === 0 ? chunk : chunk.subarray(from));
  }

  /** The line that has not ended, if it has at most this many bytes and is UTF-8. */
  open(bytesMax: number): string | undefined {
    if (this.#bytes === 0 || this.#bytes > bytesMax) return undefined;
    const line = Buffer.concat(this.#parts);
    return isUtf8(line) ? line.toString('utf8') : undefined;
  }

  /** The line that has not ended was read: what follows is another. */
  drop(): void {
    this.#parts = [];
    this.#bytes = 0;
    this.#head = undefined;
  }

  #read(line: Buffer): void {
    this.#reader.line(line.toString('utf8'), isUtf8(line));
  }

  #add(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#head !== undefined) this.#tail = lastOf(this.#tail, part);
    else if (this.#bytes <= this.#bytesMax) this.#parts.push(part);
    else {
      const start = Buffer.concat([...this.#parts, part]);
      this.#head = Buffer.from(start.subarray(0, keptBytes));
      this.#tail = lastOf(start, Buffer.alloc(0));
      this.#parts = [];
    }
  }

  #end(): void {
    if (this.#head === undefined) this.#read(Buffer.concat(this.#parts));
    else {
      this.#reader.longLine({
        bytes: this.#bytes,
        head: this.#head.toString('utf8'),
        tail: this.#tail.toString('utf8'),
      });
    }
    this.drop();
  }
}

/** Copies, so that the large underlying buffers can be freed. */
const lastOf = (before: Buffer, part: Buffer): Buffer =>
  Buffer.from(Buffer.concat([before.subarray(-keptBytes), part.subarray(-keptBytes)]).subarray(-keptBytes));
