/** Which runs are runs of a workflow: the one place that says what starts runs by `on: run`. And how they end. */
import type { EventOf } from '@baton/engine';
import type { Pool } from 'pg';

import type { Database } from '../database/database.ts';
import { rethrowUnavailable } from '../database/databaseError.ts';
import { queryRows } from '../database/queryRows.ts';
import { isPartText, parseEvent } from '../journal/eventText.ts';
import { positionParts } from '../journal/readFeed.ts';

export interface EndedRun {
  readonly runId: string;
  readonly workflow: string;
  readonly end: EventOf<'run.finished'>;
}

/** The events of its runs that Baton offers to clients of MCP. */
export const ownEvents = ['run.finished', 'question.asked'] as const;

/** Those of these runs that follow others. Rejects with `UnavailableError`. */
export async function followingRuns(
  { pool }: Pick<Database, 'pool'>,
  runIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (runIds.length === 0) return new Set();
  const text = `select id from run where id = any($1::uuid[]) and ${followsText}`;
  return new Set((await queryRows<{ id: string }>(pool, text, [[...runIds]])).map(({ id }) => id));
}

/** At once. */
const endsMax = 200;

/**
 * Of a row of `run`: it follows another run, or one above it does, so that what follows runs would begin it for ever. An
 * event of a Baton may be one of this installation, seen through another server.
 */
const followsText = `exists (
      with recursive above as (
        select run.parent_run_id as parent, run.trigger_kind as kind, run.trigger_detail::text as detail
        union all
        select over.parent_run_id, over.trigger_kind, over.trigger_detail::text
        from above join run as over on over.id = above.parent)
      select from above where kind in ('run', 'undo')
        or kind = 'event' and detail ~ '"event":"(${ownEvents.join('|')})"')`;

/**
 * Of a row of `run`. A run that came with its text only has the name of a deployed workflow, the run of an item is part
 * of another one, and an undo makes other calls. `by` proves nothing: people choose the names of keys.
 */
export const countedText = `
    run.version is not null
    and not exists (
      select from run_event where run_id = run.id and seq = 1 and ${isPartText})
    and not ${followsText}`;

const endsText = `
  select xact, run_id, seq, at, type, data::text as data, workflow
  from run_event join run on run.id = run_id
  where xact >= $1 and (xact, run_id, seq) > ($1::bigint, $2::uuid, $3::int) and xact < $4 and type = 'run.finished'
    and ${countedText}
  order by xact, run_id, seq limit ${endsMax}`;

export interface CountedEnds {
  readonly ends: readonly EndedRun[];
  /** The position of the last one, where more may follow. */
  readonly last: string | undefined;
}

/** Those between two positions of the feed. Rejects with `UnavailableError`. */
export async function countedEnds(client: Pick<Pool, 'query'>, after: string, before: string): Promise<CountedEnds> {
  type Row = { xact: string; run_id: string; seq: number; at: string; type: string; data: string; workflow: string };
  const values = [...positionParts(after), positionParts(before)[0]];
  const { rows } = await client.query<Row>(endsText, values).catch(rethrowUnavailable);
  const ends = rows.flatMap(({ run_id: runId, workflow, type, at, data }): EndedRun[] => {
    const event = parseEvent(type, Number(at), data);
    return event.type === 'run.finished' ? [{ runId, workflow, end: event }] : [];
  });
  const last = rows.length === endsMax ? rows.at(-1) : undefined;
  return { ends, last: last && `${last.xact}-${last.run_id}-${last.seq}` };
}
