/** Reads the calls whose outcome is not known: what a person has to find out. */
import type { Call, EventOf, RunStatus } from '@baton/engine';

import type { Database } from '../database/database.ts';
import { queryRows } from '../database/queryRows.ts';
import { parseEvent, pathColumnOf } from '../journal/eventText.ts';
import { type RunFilter, allConditions, isFindable, stillUnknown } from './runConditions.ts';

export interface UnknownOutcome {
  readonly runId: string;
  readonly workflow: string;
  readonly version: number | undefined;
  readonly definition: string;
  readonly status: RunStatus;
  /** Undefined: the journal has no call of the step. */
  readonly call: Call | undefined;
  /** When the call began. */
  readonly startedAt: number;
  readonly unknown: EventOf<'step.unknown'>;
  /** The process that made the call. */
  readonly worker: string | undefined;
}

interface Row {
  readonly runId: string;
  readonly workflow: string;
  readonly version: number | null;
  readonly definition: string;
  readonly status: string;
  readonly at: string;
  readonly data: string;
  readonly startedAt: string | null;
  readonly started: string | null;
  readonly claim: string | null;
}

/** The last event of this type before another one. */
const before = (seq: string, type: string, more = ''): string =>
  `select seq, at, data::text as data from run_event where run_id = lost.run_id and seq < ${seq} and type = '${type}'${more}
   order by seq desc limit 1`;

/** The newest ones of runs that match, at most so many. Rejects with `UnavailableError`. */
export async function unknownOutcomes(
  { pool }: Pick<Database, 'pool'>,
  filter: RunFilter,
  most: number,
): Promise<readonly UnknownOutcome[]> {
  if (!isFindable(filter)) return [];
  const { conditions, bind, values } = await allConditions(pool, filter);
  const rows = await queryRows<Row>(
    pool,
    `select lost.run_id as "runId", workflow, version, definition, status, lost.at, lost.data::text as data,
       started.at as "startedAt", started.data as started, claimed.data as claim
     from run_event as lost join run on run.id = lost.run_id
     left join lateral (${before('lost.seq', 'step.started', ` and ${pathColumnOf('run_event')} = ${pathColumnOf('lost')}`)}) as started on true
     left join lateral (${before('started.seq', 'run.claimed')}) as claimed on true
     where ${[stillUnknown, ...conditions].join(' and ')}
     order by lost.run_id desc, lost.seq desc limit ${bind(most)}`,
    values,
  );
  return rows.map((row) => {
    const unknown = parseEvent('step.unknown', Number(row.at), row.data) as EventOf<'step.unknown'>;
    const started = row.started === null ? undefined : parseEvent('step.started', 0, row.started);
    const claim = row.claim === null ? undefined : parseEvent('run.claimed', 0, row.claim);
    return {
      runId: row.runId,
      workflow: row.workflow,
      version: row.version ?? undefined,
      definition: row.definition,
      status: row.status as RunStatus,
      // A retry that looks it up first has the call of the run before.
      call: started?.type === 'step.started' ? started.call : unknown.call,
      startedAt: Number(row.startedAt ?? row.at),
      unknown,
      worker: claim?.type === 'run.claimed' ? claim.worker : undefined,
    };
  });
}
