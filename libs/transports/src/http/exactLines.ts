/**
 * Numbers in a stream of events that JavaScript cannot hold, as texts, before the SDK reads the event: line by line, so
 * that none is cut in two. Only where each event is a message: an address with a session's name in it can look the same
 * (`?session=73e982a4`). Bytes and not characters: what is looked for is ASCII, and the rest goes through untouched.
 */
import { exactNumbers } from '@baton/protocol';

const [lineFeed, carriageReturn] = [0x0a, 0x0d];

export class ExactLines {
  /** Of the line that has not ended. */
  #open: Buffer[] = [];

  /** The lines that have ended by now; may be empty. */
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

  /** The rest of a line without an end. */
  end(): Buffer {
    return exactly(Buffer.concat(this.#open));
  }
}

function exactly(lines: Buffer): Buffer {
  const text = lines.toString('latin1');
  const read = text.replace(/^data:.*$/gm, exactNumbers);
  return read === text ? lines : Buffer.from(read, 'latin1');
}
