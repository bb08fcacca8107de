import type { RunEvent } from '@baton/engine';
import { BlobsNeeded } from '@baton/engine';
import type { Json } from '@baton/language';
import type { SeenRun } from '@baton/learn';
import { seenRun } from '@baton/learn';
import type { Store } from '@baton/store';

/** The calls of a run, with its large values. Rejects with `UnavailableError`. */
export async function seenRunOf(
  { blobs: stored }: Pick<Store, 'blobs'>,
  events: readonly RunEvent[],
): Promise<SeenRun> {
  const blobs = new Map<string, Json>();
  for (;;) {
    try {
      return seenRun(events, (sha256) => blobs.get(sha256));
    } catch (error) {
      if (!(error instanceof BlobsNeeded)) throw error;
      for (const sha256 of error.keys) {
        const text = await stored.get(sha256);
        blobs.set(sha256, text === undefined ? null : (JSON.parse(text) as Json));
      }
    }
  }
}
