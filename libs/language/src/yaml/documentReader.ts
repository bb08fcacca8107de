/**
 * Reads texts of which each differs little from one before it, as an author types: of such a text only the changed part is
 * read. It keeps the last text that could be read to its end, so that one open quote does not cost a whole reading twice.
 */
import { Document, withoutMark } from './document.ts';

export class DocumentReader {
  #last: Document | undefined;

  read(given: string): Document {
    const text = withoutMark(given);
    const tokens = this.#last?.tokensAfterChange(text);
    const document = new Document(text, tokens);
    if (tokens !== undefined || document.problems.length === 0) this.#last = document;
    return document;
  }
}
