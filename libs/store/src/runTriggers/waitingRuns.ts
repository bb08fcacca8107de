/** Runs that wait for long: each wait is found once, when it is long enough. */
import type { Pool, PoolClient } from 'pg';

import { queryRows } from '../database/queryRows.ts';
import { countedText } from './countedEnds.ts';

/** A trigger on runs that wait. */
export interface WaitWatch {
  readonly trigger: string;
  readonly waitingMs: number;
}

/** Up to when a trigger has looked, before and after one look. Epoch milliseconds. */
interface WatchMove {
  readonly trigger: string;
  readonly from: number;
  readonly to: number;
}

export interface LongWaits {
  /** By trigger, where there are any. */
  readonly found: ReadonlyMap<string, readonly WaitingRun[]>;
  readonly moves: readonly WatchMove[];
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
 * The waits that became long enough since the last look, which `moveWatches` notes in the transaction of the runs that
 * they start. The first call for a trigger finds none, and neither does one a moment after another. Rejects with
 * `UnavailableError`.
 */
export async function longWaits(
  client: Pick<Pool, 'query'>,
  watches: readonly WaitWatch[],
  nowMs: number,
): Promise<LongWaits> {
  if (watches.length === 0) return { found: new Map(), moves: [] };
  const triggers = watches.map(({ trigger }) => trigger);
  const rows = await queryRows<{ trigger: string; until: string }>(client, untilText, [triggers, nowMs]);
  const untilOf = new Map(rows.map(({ trigger, until }) => [trigger, Number(until)]));
  const found = new Map<string, readonly WaitingRun[]>();
  const moves: WatchMove[] = [];
  for (const watch of watches) {
    const until = untilOf.get(watch.trigger);
    if (until === undefined || nowMs - until < pauseMs(watch.waitingMs)) continue;
    const { waits, to } = await waitsSince(client, watch, { until, nowMs });
    if (waits.length > 0) found.set(watch.trigger, waits);
    moves.push({ trigger: watch.trigger, from: until, to });
  }
  return { found, moves };
}

const movedText = `
  update run_watch set until = move.upto from unnest($1::text[], $2::bigint[]) as move (trigger, upto)
  where run_watch.trigger = move.trigger`;

/**
 * Under the lock of the followers. False where another process has moved one of them since the look: nothing was written
 * then. Rejects with `UnavailableError`.
 */
export async function moveWatches(client: PoolClient, moves: readonly WatchMove[]): Promise<boolean> {
  if (moves.length === 0) return true;
  const triggers = moves.map(({ trigger }) => trigger);
  const stillText = `
    select run_watch.trigger from run_watch join unnest($1::text[], $2::bigint[]) as move (trigger, since)
      on run_watch.trigger = move.trigger and until = since`;
  const still = await queryRows(client, stillText, [triggers, moves.map(({ from }) => from)]);
  if (still.length < moves.length) return false;
  await queryRows(client, movedText, [triggers, moves.map(({ to }) => to)]);
  return true;
}

async function waitsSince(
  client: Pick<Pool, 'query'>,
  { waitingMs }: WaitWatch,
  { until, nowMs }: { readonly until: number; readonly nowMs: number },
): Promise<{ readonly waits: readonly WaitingRun[]; readonly to: number }> {
  type Row = { id: string; workflow: string; questions: number; at: string };
  const rows = await queryRows<Row>(client, waitsText, [until - waitingMs, nowMs - waitingMs]);
  const last = rows.length < waitsMax ? undefined : rows.at(-1);
  const to = last === undefined ? nowMs : Number(last.at) + waitingMs;
  const waits = rows.map(({ id: runId, workflow, questions, at }) => ({
    runId,
    workflow,
    questions,
    since: Number(at),
  }));
  return { waits, to };
}

/** A tenth of the time, a minute at the most: all runs that wait are looked at. */
const pauseMs = (waitingMs: number): number => Math.min(waitingMs / 10, 60_000);
