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

/**
 * The waits that became long enough since the last call, which is noted in the transaction of the runs that they start.
 * The first call for a trigger finds none, and neither does one a moment after another. Rejects with `UnavailableError`.
 */
export async function longWaits(
  client: PoolClient,
  { trigger, waitingMs }: WaitWatch,
  nowMs: number,
): Promise<readonly WaitingRun[]> {
  const begin = 'insert into run_watch (trigger, until) values ($1, $2) on conflict do nothing';
  await queryRows(client, begin, [trigger, nowMs]);
  const ofTrigger = 'select until from run_watch where trigger = $1';
  const [watch] = await queryRows<{ until: string }>(client, ofTrigger, [trigger]);
  const until = Number(watch?.until ?? nowMs);
  if (nowMs - until < pauseMs(waitingMs)) return [];
  type Row = { id: string; workflow: string; questions: number; at: string };
  const rows = await queryRows<Row>(client, waitsText, [until - waitingMs, nowMs - waitingMs]);
  const last = rows.length < waitsMax ? undefined : rows.at(-1);
  const next = last === undefined ? nowMs : Number(last.at) + waitingMs;
  await queryRows(client, 'update run_watch set until = $2 where trigger = $1', [trigger, next]);
  return rows.map(({ id: runId, workflow, questions, at }) => ({ runId, workflow, questions, since: Number(at) }));
}

/** A tenth of the time, a minute at the most: all runs that wait are looked at. */
const pauseMs = (waitingMs: number): number => Math.min(waitingMs / 10, 60_000);
