/** What becomes of the runs of workers that are killed at once, and how late steps are. Read from the journals. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { Client } from 'pg';

export interface Takeover {
  /** Runs that the killed workers drove. */
  readonly runs: number;
  /** Of these: how many another worker has claimed, and seconds from the kill to its claim. */
  readonly claimed: number;
  readonly seconds: Readonly<Record<'first' | 'p50' | 'p99' | 'last', number>>;
  /** Of these: how many have ended well, and otherwise. The others go on. */
  readonly succeeded: number;
  readonly failed: number;
}

/** Resolves when each of their runs was claimed by another worker, or the patience is over. */
export async function takeover(
  database: Client,
  victims: readonly number[],
  { patienceMs }: { readonly patienceMs: number },
): Promise<Takeover> {
  const { rows: named } = await database.query<{ id: string }>('select id from worker where pid = any($1)', [victims]);
  const names = named.map(({ id }) => id);
  // This process started them all.
  for (const pid of victims) process.kill(pid, 'SIGKILL');
  const killedAt = Date.now();
  const { rows } = await database.query<{ id: string; seq: number }>(
    `select id, (select max(seq) from run_event where run_id = run.id) as seq
     from run where ended_at is null and status = 'running' and worker = any($1)`,
    [names],
  );
  const ids = rows.map(({ id }) => id);
  const text = `select count(at)::int as claimed,
      coalesce(min(at), 0)::float as first, coalesce(max(at), 0)::float as last,
      coalesce(percentile_cont(0.5) within group (order by at), 0)::float as p50,
      coalesce(percentile_cont(0.99) within group (order by at), 0)::float as p99
    from unnest($1::uuid[], $2::int[]) as victim(id, after)
    cross join lateral (
      select min(at) as at from run_event where run_id = victim.id and seq > after and type = 'run.claimed'
    ) as claim`;
  type Row = Record<'claimed' | 'first' | 'last' | 'p50' | 'p99', number>;
  let row: Row = { claimed: 0, first: 0, last: 0, p50: 0, p99: 0 };
  for (const by = performance.now() + patienceMs; performance.now() < by; await sleep(500)) {
    [row = row] = (await database.query<Row>(text, [ids, rows.map(({ seq }) => seq)])).rows;
    if (row.claimed === ids.length) break;
  }
  const { rows: ended } = await database.query<{ status: string; n: number }>(
    'select status, count(*)::int as n from run where id = any($1) group by status',
    [ids],
  );
  const count = (status: string): number => ended.find((one) => one.status === status)?.n ?? 0;
  const after = (at: number): number => Number(((at - killedAt) / 1_000).toFixed(1));
  return {
    runs: ids.length,
    claimed: row.claimed,
    seconds: { first: after(row.first), p50: after(row.p50), p99: after(row.p99), last: after(row.last) },
    succeeded: count('succeeded'),
    failed: count('failed'),
  };
}

interface Lateness {
  readonly steps: number;
  readonly ms: Readonly<Record<'p50' | 'p99', number>>;
}

/** Of the steps that ended in that time, epoch milliseconds: how many, and what they took beyond their tool. */
export async function latenessBetween(
  database: Client,
  { since, until, toolMs }: { readonly since: number; readonly until: number; readonly toolMs: number },
): Promise<Lateness> {
  const { rows } = await database.query<{ steps: number; p50: number | null; p99: number | null }>(
    `select count(*)::int as steps,
       percentile_cont(0.5) within group (order by e.at - s.at)::float as p50,
       percentile_cont(0.99) within group (order by e.at - s.at)::float as p99
     from run_event e join run_event s on s.run_id = e.run_id and s.type = 'step.started'
       and s.data ->> 'path' = e.data ->> 'path'
     where e.type = 'step.succeeded' and e.at >= $1 and e.at < $2`,
    [since, until],
  );
  const beyond = (ms: number | null | undefined): number => Math.round((ms ?? 0) - toolMs);
  return { steps: rows[0]?.steps ?? 0, ms: { p50: beyond(rows[0]?.p50), p99: beyond(rows[0]?.p99) } };
}
