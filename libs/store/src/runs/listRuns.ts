import { defined } from '@baton/primitives';

import type { Database } from '../database/database.ts';
import { rethrowUnavailable } from '../database/databaseError.ts';
import { isRunId } from '../database/runId.ts';
import { pathColumn } from '../journal/eventText.ts';
import { newestRetries } from './relatedRuns.ts';
import { type RunFilter, isFindable, runConditions, textPattern } from './runConditions.ts';
import { type RunSummary, type WaitsFor, summaryOf } from './runSummary.ts';

export interface RunPage {
  readonly runs: readonly RunSummary[];
  /** Pass it as `after` for the next page; absent on the last one. */
  readonly next?: string;
}

/** Failed runs that one page searches for a text; so a page may have fewer runs than requested and not be the last. */
const searchedMax = 10_000;

/**
 * Newest first. A page ends at a run's id, and ids are in order of time, so new runs do not shift later pages. Every filter
 * has its own index, except text in failures, for which many rows are read.
 */
export async function listRuns(
  database: Database,
  filter: RunFilter,
  { limit, after }: { readonly limit: number; readonly after?: string },
): Promise<RunPage> {
  if (!isFindable(filter) || (after !== undefined && !isRunId(after))) return { runs: [] };
  const { ids, next } = await runIds(database, filter, { limit, after });
  const rows = await database.prisma.run.findMany({ where: { id: { in: [...ids] } }, orderBy: { id: 'desc' } });
  const unfinished = rows.filter(({ status }) => status === 'running' || status === 'waiting');
  const ended = rows.filter(({ endedAt }) => endedAt !== null).map(({ id }) => id);
  const [steps, retries] = await Promise.all([lastSteps(database, unfinished), newestRetries(database, ended)]);
  const runs = rows.map((row) => {
    const [last, retriedAs] = [steps.get(row.id), retries.get(row.id)];
    const [lastStep, waitsFor] =
      last?.type === 'step.started' ? [last.path, undefined] : [undefined, last && waitsForIn(last)];
    return { ...summaryOf(row), ...defined({ lastStep, waitsFor, retriedAs }) };
  });
  return next === undefined ? { runs } : { runs, next };
}

/** The last step is searched among this many of a run's newest events, so that each run costs one short index read. */
const tailEvents = 100;

interface LastStep {
  readonly id: string;
  readonly type: 'step.started' | 'step.waiting' | 'step.retrying';
  readonly path: string;
  /** The beginning of the event's text, which has what it waits for. */
  readonly head: string;
}

/** By run: the step that began last, and of a run that waits the one that began to wait last. */
async function lastSteps(
  { pool }: Database,
  rows: readonly { readonly id: string; readonly status: string }[],
): Promise<ReadonlyMap<string, LastStep>> {
  if (rows.length === 0) return new Map();
  const { rows: found } = await pool
    .query<LastStep>(
      `select asked.id, last.* from unnest($1::uuid[], $2::boolean[]) asked(id, is_waiting) cross join lateral (
         select type, ${pathColumn} as path, substring(data::text for ${headCharacters}) as head
         from (select seq, type, data from run_event where run_id = asked.id order by seq desc limit ${tailEvents}) tail
         where type = any(case when asked.is_waiting then array['step.waiting', 'step.retrying'] else array['step.started'] end)
         order by seq desc limit 1) last`,
      [rows.map(({ id }) => id), rows.map(({ status }) => status === 'waiting')],
    )
    .catch(rethrowUnavailable);
  return new Map(found.map((row) => [row.id, { ...row, path: JSON.parse(row.path) as string }]));
}

const headCharacters = 1_500;

function waitsForIn({ type, path, head }: LastStep): WaitsFor {
  if (type === 'step.retrying') return { step: path, kind: 'retry' };
  const [, kind = 'time'] = /"awaiting":\{"for":"(\w+)"/.exec(head) ?? [];
  const [, name] =
    /"awaiting":\{"for":"(?:signal|turn|child)","(?:name|server|workflow)":"([\w./-]+)"/.exec(head) ?? [];
  const [, written] = kind === 'turn' ? (/"login":("(?:[^"\\]|\\.)*")/.exec(head) ?? []) : [];
  const login = written === undefined ? undefined : (JSON.parse(written) as string);
  return { step: path, kind: kind as WaitsFor['kind'], ...defined({ name, login }) };
}

/** Lists ids alone, newest first. Rejects with `UnavailableError`. */
export async function runIds(
  { pool }: Database,
  filter: RunFilter,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
): Promise<{ readonly ids: readonly string[]; readonly next?: string }> {
  const { conditions, bind, values } = await runConditions(pool, filter);
  const all = after === undefined ? conditions : [...conditions, `id < ${bind(after)}::uuid`];
  const where = all.length === 0 ? '' : `where ${all.join(' and ')}`;
  const query = async (text: string): Promise<{ id: string; is_found: boolean }[]> =>
    (await pool.query<{ id: string; is_found: boolean }>(text, [...values]).catch(rethrowUnavailable)).rows;
  if (filter.text === undefined) {
    const rows = await query(`select id, true as is_found from run ${where} order by id desc limit ${limit + 1}`);
    const ids = rows.slice(0, limit).map(({ id }) => id);
    return rows.length > limit ? { ids, next: ids.at(-1) ?? '' } : { ids };
  }
  const pattern = bind(textPattern(filter.text));
  const rows = await query(
    `with looked as materialized (select id, failure::text ilike ${pattern} as is_found from run ${where} order by id desc limit ${searchedMax})
     (select * from looked where is_found order by id desc limit ${limit + 1})
     union all (select id, false from looked order by id desc offset ${searchedMax - 1})`,
  );
  const found = rows.filter(({ is_found: isFound }) => isFound).map(({ id }) => id);
  const ids = found.slice(0, limit);
  const edge = rows.find(({ is_found: isFound }) => !isFound)?.id;
  const next = found.length > limit ? ids.at(-1) : edge;
  return next === undefined ? { ids } : { ids, next };
}
