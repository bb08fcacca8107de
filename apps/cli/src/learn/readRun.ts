/** Reads a run over the API: its journal so far, and large values. */
import type { Client } from '@baton/api/client';
import type { RunEvent } from '@baton/engine';
import { BlobsNeeded } from '@baton/engine';
import type { Json } from '@baton/language';
import type { SeenRun } from '@baton/learn';
import { seenRun } from '@baton/learn';

/** Works for an unfinished session too. Rejects as the client does. */
export async function readRun(client: Client, id: string): Promise<SeenRun> {
  const events = await journalOf(client, id);
  const blobs = new Map<string, Json>();
  for (;;) {
    try {
      return seenRun(events, (sha256) => blobs.get(sha256));
    } catch (error) {
      if (!(error instanceof BlobsNeeded)) throw error;
      for (const sha256 of error.keys) blobs.set(sha256, await client.runs.value(id, sha256));
    }
  }
}

/** All events so far. Rejects as the client does. */
export async function journalOf(client: Client, id: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.runs.events(id, { limit: '100', ...(cursor === undefined ? {} : { cursor }) });
    events.push(...(page.data as unknown as readonly RunEvent[]));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return events;
}
