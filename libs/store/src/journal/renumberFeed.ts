import type { Client } from 'pg';

const isAhead = 'xact >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint';

/**
 * Gives events the number of this transaction whose own is still to come: `pg_dump` brought them from a server that had made
 * more transactions. Otherwise the feed would have them as news on the day on which this server has made as many. Their
 * table is append only, so its triggers are off within the transaction, and no other one writes meanwhile.
 */
export async function renumberFeed(client: Client): Promise<void> {
  const { rowCount } = await client.query(`select from run_event where ${isAhead} limit 1`);
  if (rowCount === 0) return;
  await client.query(`begin;
    alter table run_event disable trigger user;
    update run_event set xact = pg_current_xact_id()::text::bigint where ${isAhead};
    alter table run_event enable trigger user;
    commit`);
}
