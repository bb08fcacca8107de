/**
 * Turns numbers that JavaScript cannot hold into strings, in a stream of events, before the SDK reads it: line by line,
 * so that no number is cut in two. Only in events that are messages: a session id in an address can look like a number
 * (`?session=73e982a4`). Works on bytes, since a number is ASCII and everything else stays unchanged.
 */
import { exactNumbers } from '@baton/primitives';

const [lineFeed, carriageReturn] = [0x0a, 0x0d];

export class ExactLines {
  /** The unfinished line. */
  #open: Buffer[] = [];

  /** Returns the lines that have ended; may be empty. */
  push(chunk: Buffer): Buffer {
    const end = Math.max(chunk.lastIndexOf(lineFeed), chunk.lastIndexOf(carriageReturn)) + 1;
    if (end === 0) {
      this.#open.push(chunk);
      return Buffer.alloc(0);
    }
    const lines = Buffer.concat([...this.#open, chunk.subarray(0, end)]);
    this.#open = end === chunk.length ? [] : [chunk.subarray(end)];
    return exactly(lines);
  }

  /** Returns the last line, if it has no line break. */
  end(): Buffer {
    return exactly(Buffer.concat(this.#open));
  }
}

function exactly(lines: Buffer): Buffer {
  const text = lines.toString('latin1');
  const read = text.replace(/^data:.*$/gm, exactNumbers);
  return read === text ? lines : Buffer.from(read, 'latin1');
}
