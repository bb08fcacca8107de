/** Lists the calls of all runs from their journals, with the callers who started the runs. */
import { type Call, type EventOf, calledName, shownEffectOf, targetOfCall } from '@baton/engine';
import type { Effect } from '@baton/language';

import type { Database } from '../database/database.ts';
import { queryRows } from '../database/queryRows.ts';
import { firstRunId } from '../database/runId.ts';
import { workflowCondition } from '../database/workflowConditions.ts';
import {
  attemptColumn,
  failureCodeColumn,
  loginColumn,
  missedTurnText,
  parseEvent,
  pathColumn,
} from '../journal/eventText.ts';
import { isStorable } from '../journal/storableText.ts';
import { withinBytes } from '../journal/withinBytes.ts';
import { byCondition } from './entries.ts';

export interface CallFilter {
  readonly server?: string | undefined;
  /** Name of a tool or a prompt, or the address of a resource. */
  readonly tool?: string | undefined;
  /** A pattern of workflows. */
  readonly workflow?: string | undefined;
  /** The caller who started the run. */
  readonly by?: string | undefined;
  /** Begun at this instant or later, epoch milliseconds. */
  readonly from?: number | undefined;
  /** Begun before this instant. */
  readonly to?: number | undefined;
  readonly effect?: Effect | undefined;
  /** The first outcome that the journal has. */
  readonly outcome?: CallOutcome | 'running' | undefined;
}

type CallOutcome = 'succeeded' | 'failed' | 'retrying' | 'unknown' | 'cancelled';

export interface RecordedCall {
  readonly runId: string;
  /** Position of `step.started` in the run's journal. */
  readonly seq: number;
  readonly at: number;
  readonly by: string;
  readonly workflow: string;
  readonly version: number | undefined;
  readonly path: string;
  readonly attempt: number;
  readonly call: Call;
  /** Absent: the call has not ended. */
  readonly end?: {
    readonly outcome: CallOutcome;
    readonly at: number;
    readonly code?: string;
    readonly login?: string;
  };
}

export interface CallPlace {
  readonly runId: string;
  readonly seq: number;
}

const runsPerQuery = 200;
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

interface CallerRow {
  readonly id: string;
  readonly by: string;
  readonly workflow: string;
  readonly version: number | null;
}

/**
 * Calls of the newest run first; of the calls of one run, that which began last. `after`: the last call of the
 * previous page. Rejects with `UnavailableError`.
 */
export async function listCalls(
  database: Database,
  filter: CallFilter,
  { limit, after }: { readonly limit: number; readonly after?: CallPlace | undefined },
): Promise<{ readonly calls: readonly RecordedCall[]; readonly next?: CallPlace }> {
  if (![filter.server, filter.tool, filter.workflow, filter.by].every((text) => text === undefined || isStorable(text)))
    return { calls: [] };
  const found: RecordedCall[] = [];
  let [upTo, isIncluded] = [after?.runId ?? lastId, true];
  while (found.length <= limit) {
    const runs = await matchingRuns(database, filter, upTo, isIncluded);
    const last = runs.at(-1);
    if (last === undefined) break;
    found.push(...(await callsOf(database, filter, runs, after, limit + 1 - found.length)));
    [upTo, isIncluded] = [last.id, false];
  }
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return found.length > limit && last !== undefined
    ? { calls: page, next: { runId: last.runId, seq: last.seq } }
    : { calls: page };
}

/** At most `most` calls of these runs, in the same order. Rejects with `UnavailableError`. */
export async function callsOfRuns(
  database: Database,
  filter: Pick<CallFilter, 'server' | 'tool'>,
  runIds: readonly string[],
  most: number,
): Promise<readonly RecordedCall[]> {
  return callsOf(database, filter, await callersOf(database, runIds), undefined, most);
}

/** Where a call is in the journal of its run. */
export type CallInJournal = Pick<RecordedCall, 'runId' | 'seq' | 'path' | 'attempt'>;

/**
 * The newest calls of each of these tools (`server/tool`) in these runs, at most `most` of each. Rejects with
 * `UnavailableError`.
 */
export async function callsOfTools(
  database: Database,
  tools: readonly string[],
  runIds: readonly string[],
  most: number,
): Promise<ReadonlyMap<string, readonly CallInJournal[]>> {
  const calls = new Map<string, CallInJournal[]>(tools.map((tool) => [tool, []]));
  for await (const { call, runId, seq, path, attempt } of walkCalls(database, {}, await callersOf(database, runIds))) {
    const own = call.verb === 'tool' ? calls.get(targetOfCall(call)) : undefined;
    if (own === undefined || own.length === most) continue;
    own.push({ runId, seq, path, attempt });
    if (calls.values().every(({ length }) => length === most)) break;
  }
  return calls;
}

const callersOf = (database: Database, runIds: readonly string[]): Promise<readonly CallerRow[]> =>
  queryRows<CallerRow>(database.pool, 'select id, by, workflow, version from run where id = any($1::uuid[])', [runIds]);

/** Runs that match the filter, newest first. */
function matchingRuns(
  database: Database,
  { by, workflow, from, to, outcome }: CallFilter,
  upTo: string,
  isIncluded: boolean,
): Promise<readonly CallerRow[]> {
  const values: unknown[] = [upTo];
  const conditions = [isIncluded ? 'id <= $1' : 'id < $1'];
  if (to !== undefined) conditions.push(`id < $${values.push(firstRunId(to))}`);
  if (from !== undefined) conditions.push(`(ended_at is null or ended_at >= $${values.push(new Date(from))})`);
  if (by !== undefined) conditions.push(byCondition(values.push(by)));
  const selected = workflow && workflowCondition('workflow', [workflow], (value) => `$${values.push(value)}`);
  if (selected !== undefined) conditions.push(selected);
  if (outcome === 'unknown') conditions.push(`id in (select run_id from run_event where type = 'step.unknown')`);
  const text = `select id, by, workflow, version from run where ${conditions.join(' and ')} order by id desc limit ${runsPerQuery}`;
  return queryRows<CallerRow>(database.pool, text, values);
}

async function callsOf(
  database: Database,
  filter: CallFilter,
  runs: readonly CallerRow[],
  after: CallPlace | undefined,
  most: number,
): Promise<readonly RecordedCall[]> {
  const calls: RecordedCall[] = [];
  const ended = async (some: readonly RecordedCall[]): Promise<void> => {
    const { outcome } = filter;
    const all = await withEnds(database, some);
    calls.push(...all.filter(({ end }) => outcome === undefined || (end?.outcome ?? 'running') === outcome));
  };
  let open: RecordedCall[] = [];
  for await (const call of walkCalls(database, filter, runs, after)) {
    open.push(call);
    if (calls.length + open.length < most) continue;
    await ended(open);
    open = [];
    if (calls.length === most) break;
  }
  await ended(open);
  return calls;
}

/** Newest first. A call that missed its turn was not sent; that which was, later, is an event of its own. */
async function* walkCalls(
  database: Database,
  filter: CallFilter,
  runs: readonly CallerRow[],
  after?: CallPlace,
): AsyncGenerator<RecordedCall> {
  const byId = new Map(runs.map((run) => [run.id, run]));
  const missed = new Set(after === undefined ? [] : await missedTurnsFrom(database, after));
  type Row = { runId: string; seq: number; at: string; type: string; data: string; isCut: boolean };
  let [runId, seq] = [after?.runId ?? lastId, after?.seq ?? 0];
  for (;;) {
    const rows = await queryRows<Row>(
      database.pool,
      withinBytes(
        `select run_id as "runId", seq, at, type, data::text as data from run_event
         where run_id = any($1::uuid[]) and (run_id < $2 or (run_id = $2 and seq < $3))
           and (type = 'step.started' and data::text like '%"call":{%' and at >= $4 and at < $5
             or type = 'step.waiting' and ${missedTurnText})
         order by run_id desc, seq desc limit ${pageOfEvents}`,
        '"runId" desc, seq desc',
      ),
      [[...byId.keys()], runId, seq, filter.from ?? 0, filter.to ?? Number.MAX_SAFE_INTEGER],
    );
    for (const row of rows) {
      const run = byId.get(row.runId);
      const event = parseEvent(row.type, Number(row.at), row.data);
      if (event.type === 'step.waiting') missed.add(keyOf(row.runId, event));
      if (event.type !== 'step.started' || missed.delete(keyOf(row.runId, event))) continue;
      const { call, path, attempt } = event;
      if (run === undefined || call === undefined || !matchesFilter(call, filter)) continue;
      const { by, workflow, version } = run;
      const who = { by, workflow, version: version ?? undefined };
      yield { runId: row.runId, seq: row.seq, at: Number(row.at), ...who, path, attempt, call };
    }
    const last = rows.at(-1);
    if (last === undefined || (rows.length < pageOfEvents && !last.isCut)) return;
    ({ runId, seq } = last);
  }
}

/** Of calls that may have begun before this place, and missed their turn after it. */
async function missedTurnsFrom(database: Database, { runId, seq }: CallPlace): Promise<readonly string[]> {
  const rows = await queryRows<{ at: string; type: string; data: string }>(
    database.pool,
    `select at, type, data::text as data from run_event
     where run_id = $1 and seq > $2 and type = 'step.waiting' and ${missedTurnText}`,
    [runId, seq],
  );
  return rows.map(({ at, type, data }) => keyOf(runId, parseEvent(type, Number(at), data) as EventOf<'step.waiting'>));
}

const keyOf = (runId: string, { path, attempt }: Pick<EventOf<'step.started'>, 'path' | 'attempt'>): string =>
  `${runId} ${path}#${attempt}`;

const pageOfEvents = 500;

function matchesFilter(call: Call, { server, tool, effect }: CallFilter): boolean {
  if (effect !== undefined && !(call.verb === 'tool' && shownEffectOf(call) === effect)) return false;
  if (server !== undefined && !('server' in call && call.server === server)) return false;
  return tool === undefined || calledName(call) === tool;
}

/** Adds to each call its first outcome in the journal. */
async function withEnds(database: Database, calls: readonly RecordedCall[]): Promise<readonly RecordedCall[]> {
  if (calls.length === 0) return calls;
  type Row = { n: string; type: string; at: string; code: string | null; login: string | null };
  const rows = await queryRows<Row>(
    database.pool,
    `select n, type, at, code, login from unnest($1::uuid[], $2::int[], $3::text[], $4::text[]) with ordinality
       as wanted(run_id, seq, path, attempt, n) cross join lateral (
       select type, at, case type when 'step.succeeded' then null else ${failureCodeColumn} end as code, ${loginColumn} as login from run_event where run_event.run_id = wanted.run_id and run_event.seq > wanted.seq
         and type = any($5::text[]) and ${pathColumn} = wanted.path and ${attemptColumn} = wanted.attempt
       order by run_event.seq limit 1) as first`,
    [
      calls.map((one) => one.runId),
      calls.map((one) => one.seq),
      calls.map(({ path }) => JSON.stringify(path)),
      calls.map(({ attempt }) => String(attempt)),
      outcomes.map((one) => `step.${one}`),
    ],
  );
  const ends = new Map(
    rows.map(({ n, type, at, code, login }) => [
      Number(n),
      {
        outcome: type.slice(5) as CallOutcome,
        at: Number(at),
        ...(code === null ? {} : { code: JSON.parse(code) as string }),
        ...(login === null ? {} : { login: JSON.parse(login) as string }),
      },
    ]),
  );
  return calls.map((one, index) => {
    const end = ends.get(index + 1);
    return end === undefined ? one : { ...one, end };
  });
}

const outcomes = ['succeeded', 'failed', 'retrying', 'unknown', 'cancelled'] as const satisfies readonly CallOutcome[];
