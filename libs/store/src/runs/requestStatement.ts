/** Builds the statement that creates runs. */
import type { EventOf, Turn } from '@baton/engine';
import type { NewBlob } from '@baton/runner';
import type { QueryArrayConfig } from 'pg';

import { blobValues, eventValues, insertBlobs, insertEvents, type HashedEvent } from '../journal/appendStatement.ts';
import { bigints, byteas, ints, jsons, texts, uuids } from '../journal/binaryArray.ts';
import type { Idempotency, RequestedCallback } from './runRequest.ts';
import { takesTurn, turnKey } from './turns.ts';

/** A request whose texts can be stored, with the id of its run. */
export interface AcceptedRequest {
  readonly runId: string;
  readonly event: EventOf<'run.requested'>;
  readonly first: HashedEvent;
  readonly blobs: readonly NewBlob[];
  readonly callback: RequestedCallback | undefined;
  readonly idempotency: Idempotency | undefined;
  readonly parentWorker: string | undefined;
  /** Create the run only if its version is the newest. */
  readonly isNewest: boolean;
  readonly line: Turn | undefined;
}

interface StatementColumn {
  readonly name: string;
  readonly type: string;
  readonly values: (requests: readonly AcceptedRequest[]) => Buffer;
}

const column =
  <Value>(type: string, encode: (values: readonly (Value | undefined)[]) => Buffer) =>
  (name: string, valueOf: (request: AcceptedRequest) => Value | undefined): StatementColumn => ({
    name,
    type,
    values: (requests) => encode(requests.map(valueOf)),
  });

const uuid = column('uuid', uuids);
const text = column('text', texts);
const int = column('int', ints);
const bigint = column('bigint', bigints);
const json = column('json', jsons);
const bytea = column('bytea', byteas);

const asJson = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value));

/** Columns that are copied into the run's row unchanged. */
const rowColumns: readonly StatementColumn[] = [
  uuid('id', ({ runId }) => runId),
  text('workflow', ({ event }) => event.workflow),
  int('version', ({ event }) => event.version),
  text('definition', ({ event }) => event.definition),
  text('trigger_kind', ({ event }) => event.trigger.kind),
  json('trigger_detail', ({ event }) => asJson(event.trigger.detail)),
  text('by', ({ event }) => event.by),
  int('priority', ({ event }) => event.priority ?? 0),
  int('depth', ({ event }) => event.depth ?? 0),
  json('inputs', ({ event }) => asJson(event.inputs)),
  uuid('parent_run_id', ({ event }) => event.parent?.runId),
  text('parent_path', ({ event }) => event.parent?.path),
  int('parent_attempt', ({ event }) => event.parent?.attempt),
  uuid('rerun_of', ({ event }) => event.rerunOf),
];

const columns: readonly StatementColumn[] = [
  ...rowColumns,
  text('tags', ({ event }) => arrayLiteral(event.tags ?? [])),
  bigint('wake_at', ({ event }) => event.notBefore),
  int('seq', ({ first }) => first.seq),
  bigint('at', ({ first }) => first.at),
  text('type', ({ first }) => first.type),
  json('data', ({ first }) => first.data),
  bytea('hash', ({ first }) => first.hash),
  bytea('mark', ({ first }) => first.mark),
  int('newest', ({ event, isNewest }) => (isNewest ? event.version : undefined)),
  text('parent_worker', ({ parentWorker }) => parentWorker),
];

/** Columns that few runs have. */
const moreColumns: readonly StatementColumn[] = [
  text('scope', ({ idempotency }) => idempotency?.scope),
  text('key', ({ idempotency }) => idempotency?.key),
  text('digest', ({ idempotency }) => idempotency?.digest),
  text('callback_url', ({ callback }) => callback?.url),
  text('callback_secret', ({ callback }) => callback?.secret),
  text('turn_key', ({ line }) => line && turnKey(line)),
  int('turn_most', ({ line }) => line?.limit),
];

const listed = (some: readonly StatementColumn[]): string => some.map(({ name }) => `"${name}"`).join(', ');

/**
 * A worker that was given up may have stopped right before it asks for a child, and ask when its run has ended. The lock
 * makes the claim of another worker, or the end of the parent, come before or after the child, and never beside it.
 */
const isDriven = `exists (
        select from run where run.id = w.parent_run_id and run.status = 'running' and run.worker = w.parent_worker for share)`;

const wanted = (all: readonly StatementColumn[], which = ''): string => `wanted as (
    select * from unnest(${all.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ')})
      as w(${listed(all)})
    where (newest is null
      or exists (select from workflow where workflow.id = w.workflow and latest = newest and deleted_at is null))
      and (w.parent_worker is null or ${isDriven}) ${which}
  )`;

const made = (which = ''): string => `made as (
    insert into run (status, created_at, wake_at, tags, ${listed(rowColumns)})
    select 'queued', to_timestamp(at / 1000.0), to_timestamp(wake_at / 1000.0), tags::text[], ${listed(rowColumns)}
    from wanted ${which} on conflict do nothing returning id
  )`;

const insertFirst = `insert into run_event (run_id, seq, at, type, data, hash, mark)
    select id, seq, at, type, data, hash, mark from wanted where id in (select id from made)`;

const allColumns = [...columns, ...moreColumns];

const whole = (which = ''): string => `${wanted(allColumns, which)}, keyed as (
    insert into idempotency_key (scope, key, run_id, digest)
    select scope, key, id, digest from wanted where key is not null
    on conflict do nothing returning run_id
  ), ${made('where key is null or id in (select run_id from keyed)')}, event as (${insertFirst}), told as (
    insert into callback (run_id, url, secret)
    select id, callback_url, callback_secret from wanted
    where callback_url is not null and id in (select id from made)
  ), in_line as (
    insert into turn (run_id, key, most, is_seen, due_at)
    select id, turn_key, turn_most, false, coalesce(to_timestamp(wake_at / 1000.0), clock_timestamp()) from wanted
    where turn_key is not null and id in (select id from made)
  ), ${insertBlobs(allColumns.length + 1, 'where run_id in (select id from made)')}`;

const afterWhole = allColumns.length + 4;
const [firstOfMore, rerunOf, shared, turn] = [afterWhole, afterWhole + 7, afterWhole + 8, afterWhole + 9];

/** The run that is rerun, which must not be removed meanwhile, and all runs that it started, whose values it may use. */
const original = `original as (select id from run where id = $${rerunOf}::uuid for key share), family (id) as (
    select id from original union all select run.id from run join family on run.parent_run_id = family.id
  )`;

/** Several statements, because Postgres opens every table that a statement names, even if it inserts nothing there. */
const statements = {
  plain: `with ${wanted(columns)}, ${made()} ${insertFirst} returning run_id`,
  whole: `with ${whole()} select id from made`,
  /** One run, with further events, the values of another run, or a turn: all or nothing, in one statement. */
  withMore: (hasTurn: boolean): string => `with recursive ${original},
    ${whole(`and ($${rerunOf}::uuid is null or exists (select from original))`)},
    more as (${insertEvents(firstOfMore, 'where run_id in (select id from made)')}), shared as (
      insert into blob_use (sha256, run_id)
      select distinct sha256, made.id from made cross join blob_use join family on run_id = family.id
      where sha256 in (select decode(digest, 'hex') from unnest($${shared}::text[]) as digest)
      on conflict do nothing
    ) select id${hasTurn ? `, ${takesTurn('id', turn)}` : ''} from made`,
};

const isPlain = ({ idempotency, callback, blobs, line }: AcceptedRequest): boolean =>
  idempotency === undefined && callback === undefined && blobs.length === 0 && line === undefined;

/** The statement returns the ids of the runs that it created. */
export function requestStatement(requests: readonly AcceptedRequest[]): QueryArrayConfig {
  const inOrder = requests.toSorted((a, b) => (lockOrder(a) < lockOrder(b) ? -1 : 1));
  const base = { rowMode: 'array' } as const;
  if (inOrder.every(isPlain)) {
    const values = columns.map((one) => one.values(inOrder));
    return { ...base, name: 'request-plain', text: statements.plain, values };
  }
  return { ...base, name: 'request', ...wholeStatement(inOrder) };
}

function wholeStatement(requests: readonly AcceptedRequest[]): { readonly text: string; readonly values: Buffer[] } {
  const blobs = blobValues(requests.flatMap(({ runId, blobs }) => blobs.map((blob) => ({ ...blob, runId }))));
  return { text: statements.whole, values: [...allColumns.map((one) => one.values(requests)), ...blobs] };
}

interface RequestWithMore extends AcceptedRequest {
  /** The events after the first one. */
  readonly more: readonly HashedEvent[];
  readonly turn: Turn | undefined;
}

/** The statement returns the id of the run, if it was made. */
export function requestWithMore({ more, turn, ...request }: RequestWithMore): QueryArrayConfig {
  const { event, first } = request;
  const digests = new Set(
    [first, ...more].flatMap(({ data }) => [...data.matchAll(named)].map(([, digest]) => digest)),
  );
  const { values } = wholeStatement([request]);
  return {
    rowMode: 'array',
    text: statements.withMore(turn !== undefined),
    values: [
      ...values,
      ...eventValues(more),
      event.rerunOf ?? null,
      [...digests],
      ...(turn === undefined ? [] : [turnKey(turn), turn.limit, event.at]),
    ],
  };
}

/** A reference to a blob, as `Value` of libs/engine writes it. The statement ignores digests that the old run lacks. */
const named = /"sha256":"([\da-f]{64})"/g;

/** Two processes that request the same runs at once then take the same locks in the same order. */
const lockOrder = ({ idempotency, event: { parent } }: AcceptedRequest): string =>
  idempotency === undefined
    ? `${parent?.runId ?? ''} ${parent?.path ?? ''} ${parent?.attempt ?? ''}`
    : `${idempotency.scope} ${idempotency.key}`;

/** An array as text: Postgres arrays cannot hold arrays of different lengths. */
const arrayLiteral = (items: readonly string[]): string =>
  `{${items.map((item) => `"${item.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`;
