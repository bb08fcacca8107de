/** Makes a database look as it does after a long time: copies of a run that really went through, long over. */
import { setTimeout as sleep } from 'node:timers/promises';

import { Client } from 'pg';

const runColumns = `workflow, version, definition, status, trigger_kind, trigger_detail, by, tags, priority, depth, inputs, outputs,
  failure, worker`;

/** UUIDv7 from an instant, a minute earlier for each hundred runs. */
const copies = `
  with template as (select * from run where status = 'succeeded' order by id desc limit 1),
  copied as (
    select n, (lpad(to_hex((extract(epoch from now()) * 1000)::bigint - 86400000 - n * 600), 12, '0') || '7'
      || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid as id,
      now() - interval '1 day' - n * interval '600 ms' as at
    from generate_series($1::int, $2::int) as n
  ), made as (
    insert into run (id, ${runColumns}, created_at, started_at, ended_at)
    select copied.id, ${runColumns}, at, at, at from copied, template
  )
  insert into run_event (run_id, seq, at, type, data, hash)
  select copied.id, seq, e.at, type, data, hash from copied, run_event e where e.run_id = (select id from template)`;

/** Resolves when they are there, the tables are vacuumed, and they are sealed or two minutes have passed. */
export async function storeFinishedRuns(url: string, count: number): Promise<void> {
  const client = new Client(url);
  await client.connect();
  try {
    const atOnce = 10_000;
    for (let from = 1; from <= count; from += atOnce) {
      await client.query(copies, [from, Math.min(count, from + atOnce - 1)]);
    }
    await client.query('vacuum analyze run, run_event');
    for (let tries = 0; tries < 240; tries += 1) {
      const { rows } = await client.query<{ n: string }>('select count(*) as n from sealed_run');
      if (Number(rows[0]?.n) >= count) return;
      await sleep(500);
    }
  } finally {
    await client.end();
  }
}
