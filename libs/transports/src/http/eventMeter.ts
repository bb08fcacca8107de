/**
 * Measures the size of the unfinished event in a stream of events (HTML living standard, 9.2.6); a blank line ends an
 * event.
 */

const blankLines = ['\n\n', '\r\r', '\r\n\r\n'].map((text) => Buffer.from(text, 'latin1'));
/** A blank line may begin in this many of the preceding bytes. */
const overlapBytes = 3;

export class EventMeter {
  #bytes = 0;
  #before: Buffer = Buffer.alloc(0);

  /** Returns the size of the unfinished event after this chunk, in bytes. */
  add(chunk: Buffer): number {
    const ends = Math.max(...blankLines.map((blank) => endOfLast(chunk, blank)));
    const straddles = ends < 0 && hasBlankLine(Buffer.concat([this.#before, chunk.subarray(0, overlapBytes)]));
    if (ends >= 0) this.#bytes = chunk.length - ends;
    else this.#bytes = straddles ? chunk.length : this.#bytes + chunk.length;
    this.#before = Buffer.from(Buffer.concat([this.#before, chunk.subarray(-overlapBytes)]).subarray(-overlapBytes));
    return this.#bytes;
  }
}

const hasBlankLine = (bytes: Buffer): boolean => blankLines.some((blank) => bytes.indexOf(blank) >= 0);

function endOfLast(chunk: Buffer, blank: Buffer): number {
  const at = chunk.lastIndexOf(blank);
  return at < 0 ? -1 : at + blank.length;
}
