import type { Client } from '@baton/api/client';
import type { RunEvent } from '@baton/engine';

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
