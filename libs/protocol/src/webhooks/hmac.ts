/** HMAC-SHA256, and the keys that are long enough for it. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** A shorter key can be guessed (RFC 2104, 3), and an empty key is known to all. */
export const hookKeyBytesMin = 16;

const noKey = Buffer.alloc(32);

export const longEnough = (keys: readonly Buffer[]): readonly Buffer[] =>
  keys.filter(({ length }) => length >= hookKeyBytesMin);

export const codeOf = (key: Buffer | undefined, content: string | Buffer): Buffer =>
  createHmac('sha256', key ?? noKey)
    .update(content)
    .digest();

/** Takes the same time whether or not a key or a code exists. */
export function isSigned(content: Buffer, given: readonly Buffer[], keys: readonly Buffer[]): boolean {
  const [, ...right] = [noKey, ...keys].map((key) => codeOf(key, content));
  return [noKey, ...given]
    .map((one) => right.map((other) => timingSafeEqual(one, other)).includes(true))
    .includes(true);
}
