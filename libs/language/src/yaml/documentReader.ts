/**
 * Reads texts of which each differs little from one before it, as an author types: of such a text only the changed part is
 * read. What it gives is used up by what it reads next, and must not be asked after that. It keeps the last text that could be read to its end, so that one open quote does not cost a whole reading twice.
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
