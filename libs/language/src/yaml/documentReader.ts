/**
 * Reads successive versions of a text while an author types: reads only the changed part of each. The next read
 * invalidates the previous result. Keeps the last text without an open end, so that one open quote does not cost two
 * complete reads.
 */
import { Document, withoutMark } from './document.ts';

export class DocumentReader {
  #last: Document | undefined;

  read(given: string): Document {
    const text = withoutMark(given);
    const changed = this.#last?.afterChange(text);
    const document = changed ?? new Document(text);
    if (changed !== undefined || document.problems.length === 0) this.#last = document;
    return document;
  }
}
