/** Parameters in addresses: text that is read strictly, nothing is coerced. */
import { createHash } from 'node:crypto';

import * as z from 'zod';

import { isStorableText } from './jsonLimits.ts';
import { ProblemError } from './problem.ts';

/** In OpenAPI an integer; in the address digits, and nothing else. */
export function wholeNumber(minimum: number, maximum: number) {
  const expected = `a whole number from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^\d{1,10}$/, expected)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, expected)
    .meta({ type: 'integer', minimum, maximum, pattern: undefined });
}

export const Text = z.string().max(256).refine(isStorableText, 'well-formed text without NUL');

/** `?flag=true`. */
export const Flag = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .meta({ type: 'boolean', enum: undefined });

/** Given once or several times. */
export const several = <Item extends z.ZodType>(item: Item) =>
  z.union([item.transform((one) => [one]), z.array(item).min(1).max(20)]);

const firstMs = 0;
const lastMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** An instant, as epoch milliseconds. Beyond these years an instant has no text that is read everywhere. */
export const InstantText = z.iso
  .datetime({ offset: true, abort: true, error: 'an RFC 3339 instant such as 2026-11-30T06:00:00Z' })
  .refine(isInReach, 'an instant of the years 1970 to 9999')
  .transform((text) => Date.parse(text));

function isInReach(text: string): boolean {
  const ms = Date.parse(text);
  return ms >= firstMs && ms <= lastMs;
}

export const Limit = wholeNumber(1, 200).optional().meta({ description: 'Items per page; 50 where nothing is said.' });

export const limitUsual = 50;

export const Cursor = z.string().max(512).optional().meta({ description: '`nextCursor` of the page before.' });

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
