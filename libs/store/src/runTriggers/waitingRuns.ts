/** Runs that wait for long: each wait is found once, when it is long enough. */
import type { PoolClient } from 'pg';

import { queryRows } from '../database/queryRows.ts';
import { countedText } from './countedEnds.ts';

/** A trigger on runs that wait. */
export interface WaitWatch {
  readonly trigger: string;
  readonly waitingMs: number;
}

export interface WaitingRun {
  readonly runId: string;
  readonly workflow: string;
  /** Epoch milliseconds. */
  readonly since: number;
  /** Open ones. */
  readonly questions: number;
}

/** At once; waits that began in the same millisecond come together. */
const waitsMax = 200;

/** The last event of a run that waits says since when; nothing has happened then. */
const waitsText = `
  select run.id, run.workflow, run.questions, last.at
  from run join lateral (select at, type from run_event where run_id = run.id order by seq desc limit 1) as last on true
  where run.ended_at is null and run.is_waiting and last.type = 'run.waiting' and last.at > $1 and last.at <= $2
    and ${countedText}
  order by last.at fetch first ${waitsMax} rows with ties`;

/** In one statement, which does not see what it begins. */
const untilText = `
  with begun as (
    insert into run_watch (trigger, until) select trigger, $2 from unnest($1::text[]) as trigger on conflict do nothing)
  select trigger, until from run_watch where trigger = any($1)`;

/**
 * The waits that became long enough since the last call, which is noted in the transaction of the runs that they start;
 * by trigger, where there are any. The first call for a trigger finds none, and neither does one a moment after another.
 * Rejects with `UnavailableError`.
 */
export async function longWaits(
  client: PoolClient,
  watches: readonly WaitWatch[],
  nowMs: number,
): Promise<ReadonlyMap<string, readonly WaitingRun[]>> {
  if (watches.length === 0) return new Map();
  const triggers = watches.map(({ trigger }) => trigger);
  const rows = await queryRows<{ trigger: string; until: string }>(client, untilText, [triggers, nowMs]);
  const untilOf = new Map(rows.map(({ trigger, until }) => [trigger, Number(until)]));
  const found = new Map<string, readonly WaitingRun[]>();
  for (const watch of watches) {
    const until = untilOf.get(watch.trigger);
    if (until === undefined || nowMs - until < pauseMs(watch.waitingMs)) continue;
    const waits = await waitsSince(client, watch, { until, nowMs });
    if (waits.length > 0) found.set(watch.trigger, waits);
  }
  return found;
}

async function waitsSince(
  client: PoolClient,
  { trigger, waitingMs }: WaitWatch,
  { until, nowMs }: { readonly until: number; readonly nowMs: number },
): Promise<readonly WaitingRun[]> {
  type Row = { id: string; workflow: string; questions: number; at: string };
  const rows = await queryRows<Row>(client, waitsText, [until - waitingMs, nowMs - waitingMs]);
  const last = rows.length < waitsMax ? undefined : rows.at(-1);
  const next = last === undefined ? nowMs : Number(last.at) + waitingMs;
  await queryRows(client, 'update run_watch set until = $2 where trigger = $1', [trigger, next]);
  return rows.map(({ id: runId, workflow, questions, at }) => ({ runId, workflow, questions, since: Number(at) }));
}

/** A tenth of the time, a minute at the most: all runs that wait are looked at. */
const pauseMs = (waitingMs: number): number => Math.min(waitingMs / 10, 60_000);
