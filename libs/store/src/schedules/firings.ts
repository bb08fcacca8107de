/**
 * The instants of schedules, and their outcomes. One process at a time locks a schedule's row and decides about it. If it
 * loses the lock, the run's idempotency key still prevents a second start.
 */
import { cleanText } from '@baton/primitives';
import type { PoolClient } from 'pg';

import type { Database } from '../database/database.ts';
import { rethrowUnavailable } from '../database/databaseError.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Firing as Row, Schedule as ScheduleRow } from '../generated/client.ts';
import { isStorable } from '../journal/storableText.ts';
import { type Schedule, scheduleOf } from './schedules.ts';

export type FiringCause = 'due' | 'late' | 'backfill';

export type FiringOutcome =
  | { readonly outcome: 'started'; readonly runId: string }
  | { readonly outcome: 'skipped' | 'refused'; readonly reason: string }
  /** The run starts when the previous one has ended. */
  | { readonly outcome: 'queued' };

export type Firing = FiringOutcome & {
  readonly schedule: string;
  /** Epoch milliseconds. */
  readonly instant: number;
  readonly cause: FiringCause;
  readonly by: string;
};

/** The decision about a schedule whose next instant has come. */
export interface DecidedFirings {
  readonly firings: readonly Firing[];
  /** The first undecided instant. Epoch milliseconds. */
  readonly nextAt: number | undefined;
}

const columns = `id, formerly, workflow, version, trigger, cron as times, timezone, overlap, catch_up as "catchUp",
  catch_up_window_ms as "catchUpWindowMs", next_at as "nextAt", paused_at as "pausedAt", paused_by as "pausedBy"`;

/** Longer than of other transactions: many runs may start meanwhile, and no process waits for the lock of a schedule. */
const decidingMs = 15_000;

export interface DueLook {
  readonly nowMs: number;
  /** Ids of schedules to leave out. */
  readonly except: readonly string[];
}

/**
 * Calls `decide` for one schedule whose next instant is `nowMs` or earlier, and writes its decision. `queued`: number of
 * its waiting instants. Where it decides nothing, the schedule stays as it is. False where no unlocked schedule is due.
 * Rejects with `UnavailableError` and with the errors of `decide`.
 */
export async function decideDue(
  { pool }: Database,
  { nowMs, except }: DueLook,
  decide: (schedule: Schedule, queued: number) => Promise<DecidedFirings | undefined>,
): Promise<boolean> {
  return inTransaction(
    pool,
    async (client) => {
      const schedule = await lockSchedule(
        client,
        'next_at <= $1 and paused_at is null and id <> all($2::text[]) order by next_at',
        [new Date(nowMs), except],
      );
      if (schedule === undefined) return false;
      const { rows } = await query<{ queued: number }>(
        client,
        `select count(*)::int as queued from firing where schedule = $1 and outcome = 'queued'`,
        [schedule.id],
      );
      const decided = await decide(schedule, rows[0]?.queued ?? 0);
      if (decided === undefined) return true;
      const { firings, nextAt } = decided;
      for (const firing of firings) await writeFiring(client, firing);
      const next = nextAt === undefined ? null : new Date(nextAt);
      await query(client, 'update schedule set next_at = $2 where id = $1', [schedule.id, next]);
      return true;
    },
    decidingMs,
  );
}

/** Ids of schedules with instants that wait for the previous run, in order, after an id. */
export async function findQueued(
  { pool }: Database,
  { limit, after = '' }: { readonly limit: number; readonly after?: string | undefined },
): Promise<readonly string[]> {
  const { rows } = await pool
    .query<{ schedule: string }>(
      `select distinct schedule from firing join schedule on schedule.id = schedule
       where outcome = 'queued' and paused_at is null and removed_at is null and schedule > $2
       order by schedule limit $1`,
      [limit, after],
    )
    .catch(rethrowUnavailable);
  return rows.map(({ schedule }) => schedule);
}

/** Asks `decide` about the first waiting instant of the schedule. Undefined: it continues to wait. */
export async function decideQueued(
  { pool }: Database,
  id: string,
  decide: (schedule: Schedule, firing: Firing) => Promise<FiringOutcome | undefined>,
): Promise<boolean> {
  return inTransaction(
    pool,
    async (client) => {
      const schedule = await lockSchedule(client, 'id = $1', [id]);
      if (schedule === undefined) return false;
      const { rows } = await query<Row>(
        client,
        `select schedule, instant, outcome, reason, run_id as "runId", cause, by from firing
       where schedule = $1 and outcome = 'queued' order by instant limit 1`,
        [id],
      );
      const firing = rows[0] && firingOf(rows[0]);
      const outcome = firing && (await decide(schedule, firing));
      if (firing === undefined || outcome === undefined) return false;
      await writeFiring(client, { ...firing, ...outcome });
      return true;
    },
    decidingMs,
  );
}

/** Queues instants, and returns those that were not decided before. */
export async function queueFirings(
  { pool }: Database,
  schedule: string,
  { instants, by }: { readonly instants: readonly number[]; readonly by: string },
): Promise<readonly number[]> {
  const { rows } = await pool
    .query<{ instant: Date }>(
      `insert into firing (schedule, instant, outcome, cause, by)
       select $1, instant, 'queued', 'backfill', $3 from unnest($2::timestamptz[]) as instant
       on conflict do nothing returning instant`,
      [schedule, instants.map((at) => new Date(at)), by],
    )
    .catch(rethrowUnavailable);
  return rows.map(({ instant }) => instant.getTime()).toSorted((a, b) => a - b);
}

/** The firings of one schedule, newest instant first. */
export async function listFirings({ prisma }: Database, schedule: string, limit: number): Promise<readonly Firing[]> {
  if (!isStorable(schedule)) return [];
  const rows = await prisma.firing.findMany({ where: { schedule }, orderBy: { instant: 'desc' }, take: limit });
  return rows.map(firingOf);
}

export interface RefusedFiring {
  /** Epoch milliseconds. */
  readonly instant: number;
  readonly reason: string;
}

/** By schedule: its last decided instant, if that was refused. Rejects with `UnavailableError`. */
export async function lastRefusals(
  { pool }: Database,
  schedules: readonly string[],
): Promise<ReadonlyMap<string, RefusedFiring>> {
  const { rows } = await pool
    .query<Pick<Row, 'schedule' | 'instant' | 'outcome' | 'reason'>>(
      `select last.* from unnest($1::text[]) as wanted, lateral (
         select schedule, instant, outcome, reason from firing
         where schedule = wanted and outcome <> 'queued' order by instant desc limit 1) as last
       where last.outcome = 'refused'`,
      [schedules],
    )
    .catch(rethrowUnavailable);
  return new Map(
    rows.map(({ schedule, instant, reason }) => [schedule, { instant: instant.getTime(), reason: reason ?? '' }]),
  );
}

/** Ids of at most `limit` unfinished runs of the schedule. */
export async function activeRuns(
  { pool }: Database,
  { id, formerly, workflow }: Pick<Schedule, 'id' | 'formerly' | 'workflow'>,
  limit: number,
): Promise<readonly string[]> {
  const { rows } = await pool
    .query<{ id: string }>(
      `select id from run where ended_at is null and workflow = $1 and trigger_kind = 'schedule'
         and case trigger_kind when 'schedule' then trigger_detail->>'schedule' end = any($2) order by id limit $3`,
      [workflow, [id, ...formerly], limit],
    )
    .catch(rethrowUnavailable);
  return rows.map((row) => row.id);
}

async function lockSchedule(
  client: PoolClient,
  which: string,
  values: readonly unknown[],
): Promise<Schedule | undefined> {
  const { rows } = await query<ScheduleRow>(
    client,
    `select ${columns} from schedule where ${which} limit 1 for update skip locked`,
    values,
  );
  return rows[0] && scheduleOf(rows[0]);
}

/** A started run stays started, even where a later decision differs. */
async function writeFiring(client: PoolClient, firing: Firing): Promise<void> {
  const { schedule, instant, outcome, cause, by } = firing;
  const reason = 'reason' in firing ? cleanText(firing.reason, 500) : null;
  const runId = 'runId' in firing ? firing.runId : null;
  await query(
    client,
    `insert into firing (schedule, instant, outcome, reason, run_id, cause, by) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (schedule, instant) do update set outcome = $3, reason = $4, run_id = $5 where firing.outcome = 'queued'`,
    [schedule, new Date(instant), outcome, reason, runId, cause, by],
  );
}

async function query<Found extends object>(client: PoolClient, text: string, values: readonly unknown[]) {
  return client.query<Found>(text, [...values]).catch(rethrowUnavailable);
}

function firingOf({ schedule, instant, outcome, reason, runId, cause, by }: Row): Firing {
  const base = { schedule, instant: instant.getTime(), cause: cause as FiringCause, by };
  if (runId !== null) return { ...base, outcome: 'started', runId };
  if (outcome === 'queued') return { ...base, outcome };
  return { ...base, outcome: outcome === 'skipped' ? 'skipped' : 'refused', reason: reason ?? '' };
}
