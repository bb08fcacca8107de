/** Where a part of a file is. */
import { Document, withoutMark } from './yaml/document.ts';

/** The line, from 1, on which the part of the file at a JSON pointer begins; the first one if there is no such part. */
export const lineOf = (text: string, pointer: string): number =>
  new Document(withoutMark(text)).placeOf({ pointer }).line;
