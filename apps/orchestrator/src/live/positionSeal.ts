/**
 * Seals positions in the events of all runs before clients see them: a position contains the id of a run, which the
 * client may not be allowed to know.
 *
 * The same position gives the same text on every orchestrator: the nonce is a keyed digest of the content.
 */
import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';

import type { FeedPosition } from '@baton/store';
import { isFeedPosition } from '@baton/store';

const nonceBytes = 12;
const tagBytes = 16;

export class PositionSeal {
  readonly #keys: readonly Buffer[];

  /** 32 bytes each; the first one seals, any of them opens. */
  constructor(keys: readonly Buffer[]) {
    this.#keys = keys;
  }

  seal(position: FeedPosition): string {
    const [key = Buffer.alloc(0)] = this.#keys;
    const nonce = createHmac('sha256', key).update(`nonce ${position}`).digest().subarray(0, nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', key, nonce);
    const sealed = Buffer.concat([cipher.update(position, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64url');
  }

  /** Undefined for a text that no orchestrator of this installation sealed. */
  open(text: string): FeedPosition | undefined {
    const bytes = Buffer.from(text, 'base64url');
    for (const key of this.#keys) {
      const position = opened(key, bytes);
      if (position !== undefined && isFeedPosition(position)) return position;
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
