/** Where a part of a file is. */
import type { Position } from '@baton/expressions';

import { Document, withoutMark } from './yaml/document.ts';

/** Where the part of the file at a JSON pointer begins; the start of the file if there is no such part. */
export const placeOf = (text: string, pointer: string): Position =>
  new Document(withoutMark(text)).placeOf({ pointer });

/** The line, from 1, of the same. */
export const lineOf = (text: string, pointer: string): number => placeOf(text, pointer).line;
