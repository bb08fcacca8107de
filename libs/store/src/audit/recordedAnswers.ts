/** Reads how a tool answered in the last runs of a workflow. */
import type { EventOf, Value } from '@baton/engine';

import type { Database } from '../database/database.ts';
import { queryRows } from '../database/queryRows.ts';
import { parseEvent, pathColumn } from '../journal/eventText.ts';
import { withinBytes } from '../journal/withinBytes.ts';
import { recentRuns } from '../runs/recentRuns.ts';
import { callsOfRuns } from './listCalls.ts';

export interface RecordedAnswer {
  readonly runId: string;
  /** Path of the step. */
  readonly path: string;
  /** The result of MCP; a large one is in a blob. */
  readonly result: Value;
}

export interface AnsweredTool {
  readonly workflow: string;
  readonly server: string;
  readonly tool: string;
}

/** Of a run with a `forEach` of thousands, and of many runs, the newest answers count. */
const answersMax = 500;

/** The answers in the last runs of the workflow, as many as an answer of Postgres has room for. */
export async function recordedAnswers(
  database: Database,
  { workflow, server, tool }: AnsweredTool,
  runsMax: number,
): Promise<readonly RecordedAnswer[]> {
  const runs = await recentRuns(database, workflow, runsMax);
  const calls = await callsOfRuns(
    database,
    { server, tool },
    runs.map(({ id }) => id),
    answersMax,
  );
  const answered = calls.filter(({ end }) => end?.outcome === 'succeeded');
  if (answered.length === 0) return [];
  type Row = { n: string; at: string; data: string };
  const rows = await queryRows<Row>(
    database.pool,
    withinBytes(
      `select n, at, data::text as data from unnest($1::uuid[], $2::int[], $3::text[]) with ordinality
         as wanted(run_id, seq, path, n) cross join lateral (
         select at, data from run_event where run_event.run_id = wanted.run_id and run_event.seq > wanted.seq
           and type = 'step.succeeded' and ${pathColumn} = wanted.path
         order by run_event.seq limit 1) as answer`,
      'n',
    ),
    [
      answered.map((one) => one.runId),
      answered.map(({ seq }) => seq),
      answered.map(({ path }) => JSON.stringify(path)),
    ],
  );
  return rows.flatMap(({ n, at, data }): RecordedAnswer[] => {
    const call = answered[Number(n) - 1];
    if (call === undefined) return [];
    const { value: result } = parseEvent('step.succeeded', Number(at), data) as EventOf<'step.succeeded'>;
    return [{ runId: call.runId, path: call.path, result }];
  });
}
