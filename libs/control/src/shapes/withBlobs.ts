import { type Blobs, BlobsNeeded } from '@baton/engine';
import type { Json } from '@baton/primitives';
import type { BlobStore } from '@baton/runner';

/**
 * Calls `question` again until every large value that it needs is loaded. A value that retention removed is null.
 * Rejects with `UnavailableError`, and with what `question` throws.
 */
export async function withBlobs<T>(stored: Pick<BlobStore, 'get'>, question: (blobs: Blobs) => T): Promise<T> {
  const loaded = new Map<string, Json>();
  for (;;) {
    try {
      return question((sha256) => loaded.get(sha256));
    } catch (error) {
      if (!(error instanceof BlobsNeeded)) throw error;
      for (const sha256 of error.keys) {
        const text = await stored.get(sha256);
        loaded.set(sha256, text === undefined ? null : (JSON.parse(text) as Json));
      }
    }
  }
}
