/** Cursors of lists. */
import { createHash } from 'node:crypto';

import { ProblemError } from '@baton/api';

const sealLength = 8;

/**
 * Where a page ended, sealed with what was asked for: a cursor of another list, with other filters, or cut off, would skip
 * and repeat without anybody noticing.
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
