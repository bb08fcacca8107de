/**
 * Seals texts, so that others can neither read nor make them. The same text gives the same sealed one in every process of
 * the installation: the nonce is a keyed digest of the content.
 */
import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';

const nonceBytes = 12;
const tagBytes = 16;

export class TextSeal {
  readonly #keys: readonly Buffer[];

  /** 32 bytes each; the first one seals, any of them opens. */
  constructor(keys: readonly Buffer[]) {
    this.#keys = keys;
  }

  seal(text: string): string {
    const [key = Buffer.alloc(0)] = this.#keys;
    const nonce = createHmac('sha256', key).update(`nonce ${text}`).digest().subarray(0, nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', key, nonce);
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64url');
  }

  /** Undefined for a text that no process of this installation sealed. */
  open(sealed: string): string | undefined {
    const bytes = Buffer.from(sealed, 'base64url');
    for (const key of this.#keys) {
      const text = opened(key, bytes);
      if (text !== undefined) return text;
    }
    return undefined;
  }
}

function opened(key: Buffer, bytes: Buffer): string | undefined {
  if (bytes.length < nonceBytes + tagBytes) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString('utf8');
  } catch {
    // The text was sealed with another key, or not sealed at all.
    return undefined;
  }
}
