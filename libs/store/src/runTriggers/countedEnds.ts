/** Which runs are runs of a workflow: the one place that says what starts runs by `on: run`. And how they end. */
import type { EventOf } from '@baton/engine';
import type { PoolClient } from 'pg';

import { rethrowUnavailable } from '../database/databaseError.ts';
import { isPartText, parseEvent } from '../journal/eventText.ts';
import { positionParts } from '../journal/readFeed.ts';

export interface EndedRun {
  readonly runId: string;
  readonly workflow: string;
  readonly end: EventOf<'run.finished'>;
}

/** At once. */
const endsMax = 200;

/** What is no end of its workflow, by the trigger of the run or of one above it: else a loop, or no run of its steps. */
const uncounted = ['run', 'undo'];

/**
 * Of a row of `run`. A run that came with its text only has the name of a deployed workflow, the run of an item is part
 * of another one, and an undo makes other calls. `by` proves nothing: people choose the names of keys.
 */
export const countedText = `
    run.version is not null
    and not exists (
      select from run_event where run_id = run.id and seq = 1 and ${isPartText})
    and not exists (
      with recursive above as (
        select run.parent_run_id as parent, run.trigger_kind as kind
        union all
        select over.parent_run_id, over.trigger_kind from above join run as over on over.id = above.parent)
      select from above where kind in (${uncounted.map((kind) => `'${kind}'`).join(', ')}))`;

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
export async function countedEnds(client: PoolClient, after: string, before: string): Promise<CountedEnds> {
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
