/** Makes an idempotency key of the identity of an event. */
import { createHash } from 'node:crypto';

import type { Json } from '@baton/primitives';

/** A digest: short enough for an index, and storable as text. */
export function dedupeKey(given: Json): string {
  const text = typeof given === 'string' ? given : JSON.stringify(given);
  if (/^[\x21-\x7e]{1,200}$/.test(text)) return text;
  return `sha256 ${createHash('sha256').update(text).digest('hex')}`;
}
