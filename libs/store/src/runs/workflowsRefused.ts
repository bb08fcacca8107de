import type { Database } from '../database/database.ts';
import { queryRows } from '../database/queryRows.ts';

/** Workflows of which a run has ended since then because a tool has changed. `since`: epoch milliseconds. */
export async function workflowsRefused({ pool }: Database, since: number): Promise<readonly string[]> {
  const rows = await queryRows<{ workflow: string }>(
    pool,
    `select distinct workflow from run
     where ended_at >= $1 and status = 'failed' and failure::text like '%"code":"tool-changed"%' limit 1000`,
    [new Date(since)],
  );
  return rows.map(({ workflow }) => workflow);
}
