/** Runs that have just spent something, for triggers on budgets. */
import type { Pool } from 'pg';

import { rethrowUnavailable } from '../database/databaseError.ts';
import { isToolText, missedTurnText, toolCallsColumn } from '../journal/eventText.ts';
import { positionParts } from '../journal/readFeed.ts';
import { countedText } from './countedEnds.ts';

export interface SpendingRun {
  readonly runId: string;
  readonly workflow: string;
  /** Digest of its definition, which has the budget. */
  readonly definition: string;
  readonly isOver: boolean;
  readonly spent: { readonly usd: number; readonly tokens: number; readonly toolCalls: number };
}

/** As `costOf` of libs/engine counts them. The row of a run has no calls. */
const callsText = `(
    select coalesce(sum(case type when 'step.started' then 1 when 'step.waiting' then -1 else ${toolCallsColumn} end), 0)::int
    from run_event where run_id = run.id and (type = 'child.finished'
      or type = 'step.started' and ${isToolText} and data::text like '%,"call":{%'
      or type = 'step.waiting' and ${isToolText} and ${missedTurnText}))`;

const touchedText = `
  select id, workflow, definition from run where version is not null and id = any(array(
    select distinct run_id from run_event
    where xact >= $1 and (xact, run_id, seq) > ($1::bigint, $2::uuid, $3::int)
      and xact <= $4 and (xact, run_id, seq) <= ($4::bigint, $5::uuid, $6::int)
      and type in ('step.started', 'step.succeeded', 'step.failed', 'step.retrying', 'child.finished')))`;

const spendingText = `
  select run.id, run.workflow, run.definition, run.ended_at is not null as is_over,
    coalesce(run.tokens, 0)::float8 as tokens, coalesce(run.usd, 0) as usd, ${callsText} as calls
  from run where run.id = any($1::uuid[]) and ${countedText} order by run.id`;

export interface SpendingOrder {
  /** Positions of the feed. */
  readonly after: string;
  readonly upTo: string;
  /** Whether a run of this definition is looked at. */
  readonly wants: (run: Pick<SpendingRun, 'workflow' | 'definition'>) => Promise<boolean>;
}

/** Those that spent between two positions of the feed. Rejects with `UnavailableError`, and with the errors of `wants`. */
export async function spendingRuns(
  client: Pick<Pool, 'query'>,
  { after, upTo, wants }: SpendingOrder,
): Promise<readonly SpendingRun[]> {
  const positions = [...positionParts(after), ...positionParts(upTo)];
  type Touched = { id: string; workflow: string; definition: string };
  const touched = await client.query<Touched>(touchedText, positions).catch(rethrowUnavailable);
  const ids: string[] = [];
  for (const { id, ...run } of touched.rows) if (await wants(run)) ids.push(id);
  if (ids.length === 0) return [];
  type Row = Touched & { is_over: boolean; tokens: number; usd: number; calls: number };
  const { rows } = await client.query<Row>(spendingText, [ids]).catch(rethrowUnavailable);
  return rows.map(({ id: runId, workflow, definition, is_over: isOver, tokens, usd, calls: toolCalls }) => ({
    runId,
    workflow,
    definition,
    isOver,
    spent: { usd, tokens, toolCalls },
  }));
}
