/** Cursors of lists. */
import { createHash } from 'node:crypto';

import { ProblemError } from '@baton/api';

const sealLength = 8;

/**
 * The position where a page ended, sealed together with the list and its filters: a cursor of another list, or a
 * truncated one, would silently skip or repeat entries.
 */
export class Cursors {
  readonly #asked: readonly unknown[];

  constructor(list: string, filter: object) {
    this.#asked = [list, filter];
  }

  write(last: string): string {
    const seal = createHash('sha256').update(JSON.stringify([...this.#asked, last]));
    return Buffer.from(`${seal.digest('base64url').slice(0, sealLength)}${last}`).toString('base64url');
  }

  /** Throws `ProblemError`. */
  read(cursor: string | undefined, isPlace: (text: string) => boolean): string | undefined {
    if (cursor === undefined) return undefined;
    const text = Buffer.from(cursor, 'base64url').toString('utf8');
    const last = text.slice(sealLength);
    if (this.write(last) === cursor && isPlace(last)) return last;
    const detail = 'The cursor was cut off, changed, or belongs to another list or other filters. Begin without one.';
    throw new ProblemError('invalid-cursor', detail);
  }
}
