/** Makes a database look as it does after a long time: copies of a run that really went through, or really waits. */
import { Client } from 'pg';

const columns = `workflow, version, definition, status, trigger_kind, trigger_detail, by, tags, priority, depth, inputs, outputs,
  failure, worker, wake_at, is_waiting`;

/** UUIDv7 from an instant, a minute earlier for each hundred runs; `begin`: of which day the newest one is. */
const copies = (status: string): string => `
  with template as (select * from run where status = '${status}' order by id desc limit 1),
  copied as (
    select n, (lpad(to_hex((extract(epoch from now()) * 1000)::bigint - 86400000 - n * 600), 12, '0') || '7'
      || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid as id,
      now() - interval '1 day' - n * interval '600 ms' as at
    from generate_series($1::int, $2::int) as n
  ), made as (
    insert into run (id, ${columns}, created_at, started_at, ended_at)
    select copied.id, ${columns}, at, case when started_at is not null then at end, case when ended_at is not null then at end
    from copied, template
  )
  insert into run_event (run_id, seq, at, type, data, hash)
  select copied.id, seq, e.at, type, data, hash from copied, run_event e where e.run_id = (select id from template)`;

interface Range {
  /** Counted from 1; the oldest has the highest number. */
  readonly from: number;
  readonly to: number;
}

const atOnce = 10_000;

async function store(url: string, status: string, { from, to }: Range, then?: (client: Client) => Promise<void>) {
  const client = new Client(url);
  await client.connect();
  try {
    for (let first = from; first <= to; first += atOnce) {
      await client.query(copies(status), [first, Math.min(to, first + atOnce - 1)]);
    }
    await client.query('vacuum analyze run, run_event');
    await then?.(client);
  } finally {
    await client.end();
  }
}

/** In seals that look like any other, and would not verify. The lock is the sealer's. */
const seals = `
  begin; select pg_advisory_xact_lock(4400003);
  with placed as (
    select id, row_number() over (order by id) - 1 as n from run
    where ended_at is not null and not exists (select from sealed_run where run_id = id)
  ), made as (
    insert into sealed_run (run_id, seal, place, seq, head)
    select id, n / 500 + (select coalesce(max(number), 0) + 1 from seal), n % 500, 1, decode(md5(n::text) || md5(n::text), 'hex')
    from placed returning seal
  )
  insert into seal (number, at, runs, root, entries, entry_hash, hash)
  select seal, (extract(epoch from now()) * 1000)::bigint, count(*), sha256(seal::text::bytea), 0, sha256(''), sha256(seal::text::bytea)
  from made group by seal;
  commit`;

/** Resolves when they are there, sealed, and the tables are vacuumed. */
export const storeFinishedRuns = (url: string, range: Range): Promise<void> =>
  store(url, 'succeeded', range, async (client) => {
    await client.query(seals);
    await client.query('vacuum analyze sealed_run');
    await client.query('checkpoint');
  });

export const storeWaitingRuns = (url: string, count: number): Promise<void> =>
  store(url, 'waiting', { from: 1, to: count });

export const storeQueuedRuns = (url: string, count: number): Promise<void> =>
  store(url, 'queued', { from: 1, to: count });
