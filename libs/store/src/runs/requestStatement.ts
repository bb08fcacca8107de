/** Builds the statement that creates runs. */
import type { EventOf, RunRow, Turn } from '@baton/engine';
import type { NewBlob } from '@baton/runner';
import type { QueryArrayConfig } from 'pg';

import { blobValues, eventValues, insertBlobs, insertEvents, type HashedEvent } from '../journal/appendStatement.ts';
import { bigints, booleans, byteas, ints, jsons, texts, uuids } from '../journal/binaryArray.ts';
import { addUsage } from '../journal/usage.ts';
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
  /** For budgets. */
  readonly isCounted: boolean;
  readonly line: Turn | undefined;
  /** What its first worker does at once. */
  readonly begun?: BegunJournal | undefined;
}

/** The events after the first one, and the run's row after them. */
interface BegunJournal {
  readonly events: readonly HashedEvent[];
  readonly row: RunRow;
  /** How many writes these events begin. */
  readonly writes: number;
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
const boolean = column('boolean', booleans);

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

const commonColumns: readonly StatementColumn[] = [
  ...rowColumns,
  text('tags', ({ event }) => arrayLiteral(event.tags ?? [])),
  bigint('wake_at', ({ event, begun }) => (begun === undefined ? event.notBefore : begun.row.wakeAt)),
  bigint('at', ({ first }) => first.at),
  int('newest', ({ event, isNewest }) => (isNewest ? event.version : undefined)),
  text('parent_worker', ({ parentWorker }) => parentWorker),
  int('counted', (request) => Number(request.isCounted)),
];

const columns: readonly StatementColumn[] = [
  ...commonColumns,
  int('seq', ({ first }) => first.seq),
  text('type', ({ first }) => first.type),
  json('data', ({ first }) => first.data),
  bytea('hash', ({ first }) => first.hash),
  bytea('mark', ({ first }) => first.mark),
];

/** Of a statement in which some runs begin at once: all their events come as in an append. */
const begunColumns: readonly StatementColumn[] = [
  ...commonColumns,
  text('status', ({ begun }) => begun?.row.status ?? 'queued'),
  text('worker', ({ begun }) => begun?.row.worker),
  json('outputs', ({ begun }) => asJson(begun?.row.outputs)),
  json('failure', ({ begun }) => asJson(begun?.row.failure)),
  bigint('started_at', ({ begun }) => begun?.row.startedAt),
  bigint('ended_at', ({ begun }) => begun?.row.endedAt),
  boolean('is_cancelling', ({ begun }) => begun?.row.isCancelling ?? false),
  int('questions', ({ begun }) => begun?.row.questions ?? 0),
  int('writes', ({ begun }) => begun?.writes ?? 0),
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

const madeBegun = (which = ''): string => `made as (
    insert into run (status, created_at, wake_at, tags, worker, outputs, failure, started_at, ended_at, is_cancelling,
      is_unsuccessful, is_waiting, questions, ${listed(rowColumns)})
    select status, to_timestamp(at / 1000.0), to_timestamp(wake_at / 1000.0), tags::text[], worker, outputs, failure,
      to_timestamp(started_at / 1000.0), to_timestamp(ended_at / 1000.0), is_cancelling,
      status in ('failed', 'cancelled'), status = 'waiting', questions, ${listed(rowColumns)}
    from wanted ${which} on conflict do nothing returning id
  )`;

const insertFirst = `insert into run_event (run_id, seq, at, type, data, hash, mark)
    select id, seq, at, type, data, hash, mark from wanted where id in (select id from made)`;

const ofMade = 'where run_id in (select id from made)';

/** `writes`: a column of `wanted`, or a number. */
const used = (writes: string): string => `, used as (
    ${addUsage(`select at, workflow, counted, ${writes} from wanted where id in (select id from made)`)}
  )`;

const allColumns = [...columns, ...moreColumns];
const allBegunColumns = [...begunColumns, ...moreColumns];

interface WholeParts {
  readonly all: readonly StatementColumn[];
  /** What counts them, or nothing. */
  readonly used: string;
  readonly made: (which: string) => string;
  readonly insert: string;
  readonly which?: string;
}

const whole = ({ all, made, insert, used, which = '' }: WholeParts): string => `${wanted(all, which)}, keyed as (
    insert into idempotency_key (scope, key, run_id, digest)
    select scope, key, id, digest from wanted where key is not null
    on conflict do nothing returning run_id
  ), ${made('where key is null or id in (select run_id from keyed)')}, event as (${insert}), told as (
    insert into callback (run_id, url, secret)
    select id, callback_url, callback_secret from wanted
    where callback_url is not null and id in (select id from made)
  ), in_line as (
    insert into turn (run_id, key, most, is_seen, due_at)
    select id, turn_key, turn_most, false, coalesce(to_timestamp(wake_at / 1000.0), clock_timestamp()) from wanted
    where turn_key is not null and id in (select id from made)
  )${used}, ${insertBlobs(all.length + 1, ofMade)}`;

const wholeFirst = (isCounted: boolean, which = ''): string =>
  whole({ all: allColumns, made, insert: insertFirst, used: isCounted ? used('0') : '', which });

const afterWhole = allColumns.length + 4;
const [firstOfMore, rerunOf, shared, turn] = [afterWhole, afterWhole + 7, afterWhole + 8, afterWhole + 9];

/** The run that is rerun, which must not be removed meanwhile, and all runs that it started, whose values it may use. */
const original = `original as (select id from run where id = $${rerunOf}::uuid for key share), family (id) as (
    select id from original union all select run.id from run join family on run.parent_run_id = family.id
  )`;

/** `isCounted`: for budgets. Several statements, because Postgres opens every table that a statement names, even if it inserts nothing there. */
const statementsFor = (isCounted: boolean) => ({
  plain: `with ${wanted(columns)}, ${made()}${isCounted ? used('0') : ''} ${insertFirst} returning run_id`,
  whole: `with ${wholeFirst(isCounted)} select id from made`,
  begun: `with ${wanted(begunColumns)}, ${madeBegun()}, event as (
      ${insertEvents(begunColumns.length + 1, ofMade)}
    )${isCounted ? used('writes') : ''} select id from made`,
  wholeBegun: `with ${whole({
    all: allBegunColumns,
    made: madeBegun,
    used: isCounted ? used('writes') : '',
    insert: insertEvents(allBegunColumns.length + 4, ofMade),
  })} select id from made`,
  /** One run, with further events, the values of another run, or a turn: all or nothing, in one statement. */
  withMore: (hasTurn: boolean): string => `with recursive ${original},
    ${wholeFirst(isCounted, `and ($${rerunOf}::uuid is null or exists (select from original))`)},
    more as (${insertEvents(firstOfMore, ofMade)}), shared as (
      insert into blob_use (sha256, run_id)
      select distinct sha256, made.id from made cross join blob_use join family on run_id = family.id
      where sha256 in (select decode(digest, 'hex') from unnest($${shared}::text[]) as digest)
      on conflict do nothing
    ) select id${hasTurn ? `, ${takesTurn('id', turn)}` : ''} from made`,
});

const [usual, counting] = [statementsFor(false), statementsFor(true)];

const isPlain = ({ idempotency, callback, blobs, line }: AcceptedRequest): boolean =>
  idempotency === undefined && callback === undefined && blobs.length === 0 && line === undefined;

/** The statement returns the ids of the runs that it created. */
export function requestStatement(requests: readonly AcceptedRequest[]): QueryArrayConfig {
  const inOrder = requests.toSorted((a, b) => (lockOrder(a) < lockOrder(b) ? -1 : 1));
  const isCounted = inOrder.some((one) => one.isCounted || (one.begun?.writes ?? 0) > 0);
  const statements = isCounted ? counting : usual;
  const ofKind = (name: string) => ({ rowMode: 'array', name: isCounted ? `${name}-counted` : name }) as const;
  const valuesOf = (all: readonly StatementColumn[]): Buffer[] => all.map((one) => one.values(inOrder));
  const isBegun = inOrder.some(({ begun }) => begun !== undefined);
  if (isBegun) {
    const events = eventValues(inOrder.flatMap(({ first, begun }) => [first, ...(begun?.events ?? [])]));
    return inOrder.every(isPlain)
      ? { ...ofKind('request-begun'), text: statements.begun, values: [...valuesOf(begunColumns), ...events] }
      : {
          ...ofKind('request-all-begun'),
          text: statements.wholeBegun,
          values: [...valuesOf(allBegunColumns), ...blobsOf(inOrder), ...events],
        };
  }
  if (inOrder.every(isPlain)) return { ...ofKind('request-plain'), text: statements.plain, values: valuesOf(columns) };
  return { ...ofKind('request'), text: statements.whole, values: wholeValues(inOrder) };
}

const blobsOf = (requests: readonly AcceptedRequest[]): Buffer[] =>
  blobValues(requests.flatMap(({ runId, blobs }) => blobs.map((blob) => ({ ...blob, runId }))));

const wholeValues = (requests: readonly AcceptedRequest[]): Buffer[] => [
  ...allColumns.map((one) => one.values(requests)),
  ...blobsOf(requests),
];

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
  return {
    rowMode: 'array',
    text: (request.isCounted ? counting : usual).withMore(turn !== undefined),
    values: [
      ...wholeValues([request]),
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
