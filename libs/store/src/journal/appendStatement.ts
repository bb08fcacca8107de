/** The statement that appends to journals: events, the run rows that they change, and the blobs that they refer to. */
import type { RunRow } from '@baton/engine';
import type { NewBlob } from '@baton/runner';
import type { QueryArrayConfig } from 'pg';

import { bigints, booleans, byteas, byteaTexts, doubles, ints, jsons, texts, uuids } from './binaryArray.ts';
import type { ChainLink } from './chain.ts';
import { costValues, insertCosts, type ModelCost } from './modelCosts.ts';
import { type BegunWrites, insertWrites, writesValues } from './usage.ts';

export interface HashedEvent extends ChainLink {
  readonly hash: string;
  /** See `AuditKeys.mark`. */
  readonly mark: string;
}

export interface ChangedRow {
  readonly runId: string;
  readonly row: RunRow;
}

const eventTypes = ['uuid', 'int', 'bigint', 'text', 'json', 'bytea', 'bytea'];
const eventColumns = 'run_id, seq, at, type, data, hash, mark';

/** `first`: the number of the first of seven parameters. `which`: a condition on `run_id`. */
export const insertEvents = (first: number, which = ''): string => `insert into run_event (${eventColumns})
  select * from unnest(${eventTypes.map((type, n) => `$${first + n}::${type}[]`).join(', ')}) as w(${eventColumns}) ${which}`;

const append = insertEvents(1);

const instant = (name: string): string => `to_timestamp(${name} / 1000.0)`;

const updateRows = `update run set
    status = r.status, worker = r.worker, outputs = r.outputs, failure = r.failure,
    started_at = ${instant('r.started_at')}, ended_at = ${instant('r.ended_at')}, wake_at = ${instant('r.wake_at')},
    is_cancelling = r.is_cancelling, is_unsuccessful = r.status in ('failed', 'cancelled'),
    is_waiting = r.status = 'waiting', questions = r.questions, tokens = r.tokens, usd = r.usd
  from unnest($8::uuid[], $9::text[], $10::text[], $11::json[], $12::json[], $13::bigint[], $14::bigint[], $15::bigint[],
    $16::boolean[], $17::int[], $18::bigint[], $19::float8[])
    as r(id, status, worker, outputs, failure, started_at, ended_at, wake_at, is_cancelling, questions, tokens, usd)
  where run.id = r.id`;

/** The end of a child is written down until its parent has taken it: see `childEnds.ts`. */
const updateEndedRows = `changed as (${updateRows} returning run.id, run.parent_run_id, run.ended_at), child_ends as (
    insert into child_end (run_id, parent_run_id)
    select id, parent_run_id from changed where ended_at is not null and parent_run_id is not null
    on conflict do nothing
  )`;

/** A new blob with the run that refers to it. */
export interface UsedBlob extends NewBlob {
  readonly runId: string;
}

/**
 * On a conflict the blob is stored already, since its key is its digest. `which`: a condition on `run_id`. The texts
 * are unnested in a select list and read once: Postgres writes what a FROM or a shared WITH holds to a file on disk if it
 * is larger than `work_mem`, and that takes a third of the time of ten megabytes.
 */
export const insertBlobs = (first: number, which = ''): string => `value as (
    insert into blob (sha256, text) select sha256, text from (
      select unnest($${first}::bytea[]) as sha256, unnest($${first + 1}::bytea[]) as text, unnest($${first + 2}::uuid[]) as run_id
    ) as w ${which} on conflict do nothing
  ), use as (
    insert into blob_use (sha256, run_id)
    select sha256, run_id from unnest($${first}::bytea[], $${first + 2}::uuid[]) as w(sha256, run_id) ${which}
    on conflict do nothing
  )`;

export const blobValues = (blobs: readonly UsedBlob[]): Buffer[] => [
  byteas(blobs.map(({ sha256 }) => sha256)),
  byteaTexts(blobs.map(({ text }) => text)),
  uuids(blobs.map(({ runId }) => runId)),
];

const withRows = `with event as (${append}) ${updateRows}`;
const withEndedRows = `with event as (${append}), ${updateEndedRows} select`;
const withWrites = `with event as (${append}), ${updateEndedRows}, ${insertWrites(20)} select`;
const whole = (...further: readonly string[]): string => `with event as (${append}), ${[
  insertBlobs(20),
  updateEndedRows,
  ...further,
].join(', ')}
  delete from child_end where run_id = any($23::uuid[])`;
const wholeTexts = {
  'append-all': whole(),
  'append-all-writes': whole(insertWrites(24)),
  'append-costs': whole(insertCosts(24)),
  'append-costs-writes': whole(insertCosts(24), insertWrites(34)),
};

export interface AppendParts {
  readonly events: readonly HashedEvent[];
  readonly rows: readonly ChangedRow[];
  readonly blobs: readonly UsedBlob[];
  /** Ids of the children whose ends these events take. */
  readonly takenEnds: readonly string[];
  readonly costs: readonly ModelCost[];
  readonly writes: readonly BegunWrites[];
  /** Which of its rows this process adds costs to. */
  readonly part: number;
}

const base = { rowMode: 'array' } as const;

/**
 * Postgres locks rows in the order in which they are given. Callers sort them by run, so that writers cannot deadlock.
 * Several statements, because Postgres opens every table that a statement names, even if it writes nothing there.
 */
export function appendStatement(parts: AppendParts): QueryArrayConfig {
  const { events, rows, blobs, takenEnds, costs, writes } = parts;
  if (blobs.length > 0 || takenEnds.length > 0 || costs.length > 0) return wholeStatement(parts);
  if (rows.length === 0 && writes.length === 0)
    return { ...base, name: 'append', text: append, values: eventValues(events) };
  const values = [...eventValues(events), ...rowValues(rows)];
  if (writes.length > 0)
    return { ...base, name: 'append-writes', text: withWrites, values: [...values, ...writesValues(writes)] };
  return rows.some(({ row }) => row.endedAt !== undefined)
    ? { ...base, name: 'append-ended-rows', text: withEndedRows, values }
    : { ...base, name: 'append-rows', text: withRows, values };
}

function wholeStatement({ events, rows, blobs, takenEnds, costs, writes, part }: AppendParts): QueryArrayConfig {
  const name = `append-${costs.length > 0 ? 'costs' : 'all'}${writes.length > 0 ? '-writes' : ''}` as const;
  const values = [
    ...eventValues(events),
    ...rowValues(rows),
    ...blobValues(blobs),
    uuids(takenEnds),
    ...(costs.length > 0 ? costValues(costs, part) : []),
    ...(writes.length > 0 ? writesValues(writes) : []),
  ];
  return { ...base, name, text: wholeTexts[name], values };
}

export const eventValues = (events: readonly HashedEvent[]): Buffer[] => [
  uuids(events.map(({ runId }) => runId)),
  ints(events.map(({ seq }) => seq)),
  bigints(events.map(({ at }) => at)),
  texts(events.map(({ type }) => type)),
  jsons(events.map(({ data }) => data)),
  byteas(events.map(({ hash }) => hash)),
  byteas(events.map(({ mark }) => mark)),
];

const asJson = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value));

const rowValues = (rows: readonly ChangedRow[]): Buffer[] => [
  uuids(rows.map(({ runId }) => runId)),
  texts(rows.map(({ row }) => row.status)),
  texts(rows.map(({ row }) => row.worker)),
  jsons(rows.map(({ row }) => asJson(row.outputs))),
  jsons(rows.map(({ row }) => asJson(row.failure))),
  bigints(rows.map(({ row }) => row.startedAt)),
  bigints(rows.map(({ row }) => row.endedAt)),
  bigints(rows.map(({ row }) => row.wakeAt)),
  booleans(rows.map(({ row }) => row.isCancelling)),
  ints(rows.map(({ row }) => row.questions)),
  bigints(rows.map(({ row }) => row.tokens)),
  doubles(rows.map(({ row }) => row.usd)),
];
