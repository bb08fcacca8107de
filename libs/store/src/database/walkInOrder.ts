import type { PoolClient } from 'pg';

import { queryRows } from './queryRows.ts';

/**
 * For the rest of the transaction, Postgres walks through rows in the order of an index, by one process, and so reads
 * only as many as the statement's `limit` asks for. Without statistics, which a young or busy table does not have, it
 * would read and sort all of them, or start workers that walk on beyond the limit. `canMerge`: rows that are
 * joined come from indexes in the same order, or are few.
 */
export async function walkInOrder(client: PoolClient, { canMerge = false } = {}): Promise<void> {
  await queryRows(client, settings, [canMerge ? 'on' : 'off']);
}

const settings = `
  select set_config(name, value, true) from (values ('enable_seqscan', 'off'), ('enable_bitmapscan', 'off'),
    ('enable_hashjoin', 'off'), ('enable_mergejoin', $1), ('enable_material', 'off'),
    ('max_parallel_workers_per_gather', '0')) as setting(name, value)`;
