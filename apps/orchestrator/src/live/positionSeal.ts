/**
 * Positions in the events of all runs, as clients see them: sealed, for a position names the run that the last event was
 * of, and that may be one of which the client is to know nothing.
 *
 * The same position is always the same text, at every orchestrator: the nonce is a keyed digest of what is sealed.
 */
import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';

import type { FeedPosition } from '@baton/store';
import { isFeedPosition } from '@baton/store';

const nonceBytes = 12;
const tagBytes = 16;

export class PositionSeal {
  readonly #keys: readonly Buffer[];

  /** 32 bytes each; the first one seals, all of them open. */
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

  /** Undefined for what was not sealed here. */
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
    // Sealed under another key, or not at all.
    return undefined;
  }
}
