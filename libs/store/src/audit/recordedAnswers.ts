/** Reads how a tool answered in the last runs of a workflow. */
import type { EventOf, Value } from '@baton/engine';

import type { Database } from '../database/database.ts';
import { queryRows } from '../database/queryRows.ts';
import { attemptColumn, parseEvent, pathColumn } from '../journal/eventText.ts';
import { withinBytes } from '../journal/withinBytes.ts';
import { recentRuns } from '../runs/recentRuns.ts';
import { type CallInJournal, callsOfTools } from './listCalls.ts';

export interface RecordedAnswer {
  /** `server/tool` */
  readonly tool: string;
  readonly runId: string;
  /** Path of the step. */
  readonly path: string;
  /** The result of MCP; a large one is in a blob. */
  readonly result: Value;
}

/** Of a run with a `forEach` of thousands, and of many runs, the newest answers count. */
const answersMax = 500;

/**
 * The answers in the last runs of the workflow: for each of the tools (`server/tool`) as many as an answer of Postgres
 * has room for, newest first. Rejects with `UnavailableError`.
 */
export async function* recordedAnswers(
  database: Database,
  { workflow, tools }: { readonly workflow: string; readonly tools: readonly string[] },
  runsMax: number,
): AsyncGenerator<readonly RecordedAnswer[]> {
  const runs = await recentRuns(database, workflow, runsMax);
  const ids = runs.map(({ id }) => id);
  for (const [tool, calls] of await callsOfTools(database, tools, ids, answersMax))
    if (calls.length > 0) yield (await answersTo(database, calls)).map((answer) => ({ tool, ...answer }));
}

async function answersTo(
  database: Database,
  calls: readonly CallInJournal[],
): Promise<readonly Omit<RecordedAnswer, 'tool'>[]> {
  type Row = { n: string; at: string; data: string };
  const rows = await queryRows<Row>(
    database.pool,
    withinBytes(
      `select n, at, data::text as data from unnest($1::uuid[], $2::int[], $3::text[], $4::text[]) with ordinality
         as wanted(run_id, seq, path, attempt, n) cross join lateral (
         select at, data from run_event where run_event.run_id = wanted.run_id and run_event.seq > wanted.seq
           and type = 'step.succeeded' and ${pathColumn} = wanted.path and ${attemptColumn} = wanted.attempt
         order by run_event.seq limit 1) as answer`,
      'n',
    ),
    [
      calls.map((one) => one.runId),
      calls.map(({ seq }) => seq),
      calls.map(({ path }) => JSON.stringify(path)),
      calls.map(({ attempt }) => String(attempt)),
    ],
  );
  return rows.flatMap(({ n, at, data }) => {
    const call = calls[Number(n) - 1];
    if (call === undefined) return [];
    const { value: result } = parseEvent('step.succeeded', Number(at), data) as EventOf<'step.succeeded'>;
    return [{ runId: call.runId, path: call.path, result }];
  });
}
