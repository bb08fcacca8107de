/**
 * API keys as text: `baton_<id>_<secret>_<checksum>`. Scanners for leaked secrets recognise the prefix; the checksum
 * tells a mistyped key from a wrong one without a lookup. The secret is 32 random bytes, so a plain digest of it is
 * safe.
 */
import { hash, randomBytes, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const idLength = 12;
/** Lengths of 32 bytes and 32 bits as text. */
const secretLength = 43;
const checksumLength = 6;

const form = new RegExp(`^baton_(\\w{${idLength}})_([^\\W_]{${secretLength}})_([^\\W_]{${checksumLength}})$`);

/** The id to look up, and the digest to compare. */
export interface Credential {
  readonly id: string;
  readonly secretHash: Buffer;
}

export const makeId = (): string =>
  Array.from({ length: idLength }, () => alphabet[randomInt(alphabet.length)]).join('');

export function makeKey(): Credential & { readonly text: string } {
  const id = makeId();
  const secret = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), secretLength);
  const body = `baton_${id}_${secret}`;
  return { id, secretHash: digest(secret), text: `${body}_${checksum(body)}` };
}

/**
 * Parses a key of Baton's own form, or any other text that an operator chose, which is identified by its digest.
 * Undefined for an invalid key of Baton's form.
 */
export function credentialOf(text: string): Credential | undefined {
  const [, id, secret, sum] = form.exec(text) ?? [];
  if (id !== undefined && secret !== undefined) {
    return sum === checksum(text.slice(0, -checksumLength - 1)) ? { id, secretHash: digest(secret) } : undefined;
  }
  if (text.startsWith('baton_')) return undefined;
  const secretHash = digest(text);
  return { id: `own-${hash('sha256', secretHash, 'hex').slice(0, 12)}`, secretHash };
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

const checksum = (body: string): string => base62(BigInt(crc32(body)), checksumLength);

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = `${alphabet[Number(rest % 62n)]}${text}`;
  return text.padStart(length, '0');
}
