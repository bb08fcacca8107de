/** Streams the audit trail record by record, for export and for verification, with at most one page in memory. */
import { createHash } from 'node:crypto';

import type { Database } from '../database/database.ts';
import { queryRows } from '../database/queryRows.ts';
import { genesis } from '../journal/chain.ts';
import { withinBytes } from '../journal/withinBytes.ts';
import { readBegun } from './marksBegun.ts';
import type { AuditEnd, AuditRecord, ExcerptStart, Manifest, MarkStart, Seal, SealedRun } from './record.ts';
import { readSeals } from './storedSeals.ts';

const pageSize = 1_000;
const seqMax = 2 ** 31 - 1;

export interface RecordOptions {
  readonly nowMs: number;
  /** Includes the journals of runs that are not sealed yet. */
  readonly isWithUnsealed?: boolean;
  /** Includes marks, for readers with the installation's key. */
  readonly isWithMarks?: boolean;
  /** Only seals that were made in this time, epoch milliseconds, and the one after them; with the entries between. */
  readonly during?: { readonly from?: number | undefined; readonly to?: number | undefined } | undefined;
}

/** Rejects with `UnavailableError`. */
export async function* auditRecords(database: Database, options: RecordOptions): AsyncGenerator<AuditRecord, void> {
  const manifest = await manifestOf(database, options);
  const first = manifest.from ?? { entries: 0, seals: 0 };
  const key = options.isWithMarks === true ? database.auditKeys.id : undefined;
  const reading = { database, key };
  yield manifest;
  yield* entries(reading, first.entries, manifest.entries);
  for (let number = first.seals; number < manifest.seals; number += pageSize) {
    const page = { after: number, until: Math.min(number + pageSize, manifest.seals) };
    for (const seal of await readSeals(database.pool, page)) {
      yield { type: 'seal', ...seal };
      yield* sealedRuns(reading, seal);
    }
  }
  if (options.during !== undefined) return;
  if (options.isWithUnsealed === true) yield* unsealedRuns(reading);
  // Entries written meanwhile: they say which journals were removed during this read.
  yield* entries(reading, manifest.entries, seqMax);
}

interface AuditReading {
  readonly database: Database;
  /** Id of the public key, where marks are wanted. */
  readonly key: string | undefined;
}

const markColumn = ({ key }: AuditReading): string => (key === undefined ? 'null::text' : `encode(mark, 'hex')`);

/** The records as lines of JSON with line breaks; the last line has the digest of all others. */
export async function* auditLines(records: AsyncIterable<AuditRecord>): AsyncGenerator<string, void> {
  const digest = createHash('sha256');
  let count = 0;
  for await (const record of records) {
    const line = `${JSON.stringify(record)}\n`;
    digest.update(line);
    count += 1;
    yield line;
  }
  const end: AuditEnd = { type: 'end', records: count, digest: digest.digest('hex') };
  yield `${JSON.stringify(end)}\n`;
}

async function manifestOf(database: Database, { nowMs, during }: RecordOptions): Promise<Manifest> {
  const { publicKey } = database.auditKeys;
  const begun = await readBegun(database.pool, database.auditKeys);
  const place = begun && { begun: { entry: begun.entry, at: begun.at, records: begun.records } };
  const base = { type: 'manifest', format: 'baton-audit/1', at: nowMs, ...place } as const;
  const end = await extentUntil(database, during?.to);
  if (during === undefined) return { ...base, ...end, publicKey };
  // Sealed runs were written before their seal: the last seal before this time says where the excerpt begins.
  const before = during.from === undefined ? undefined : await lastSealBefore(database, during.from);
  if (before === undefined) return { ...base, ...end, publicKey };
  const { runs, ...from } = before;
  return { ...base, ...end, runs: end.runs - runs, publicKey, from };
}

type TrailExtent = Pick<Manifest, 'entries' | 'seals' | 'sealHash' | 'runs'>;

/** The whole trail; with `to`, the trail up to the first seal at `to` or later, which covers everything before `to`. */
async function extentUntil(database: Database, to: number | undefined): Promise<TrailExtent> {
  type ExtentRow = { entries: number; seals: number; sealHash: string; runs: string };
  const [found] = await queryRows<ExtentRow>(
    database.pool,
    `select case when $1::bigint is null then coalesce((select max(seq) from audit_entry), 0)
         else coalesce(last.entries, 0) end as entries,
       coalesce(last.number, 0) as seals, coalesce(encode(last.hash, 'hex'), $2) as "sealHash",
       coalesce((select sum(runs) from seal where number <= last.number), 0)::text as runs
     from (select 1) as one left join lateral (
       select number, entries, hash from seal
       where number <= coalesce((select min(number) from seal where at >= $1), 2147483647)
       order by number desc limit 1) as last on true`,
    [to ?? null, genesis],
  );
  const { entries = 0, seals = 0, sealHash = genesis, runs = '0' } = found ?? {};
  return { entries, seals, sealHash, runs: Number(runs) };
}

async function lastSealBefore(
  database: Database,
  from: number,
): Promise<(ExcerptStart & { readonly runs: number }) | undefined> {
  const [found] = await queryRows<ExcerptStart & { readonly runs: string }>(
    database.pool,
    `select number as seals, encode(hash, 'hex') as "sealHash", entries, encode(entry_hash, 'hex') as "entryHash",
       (select sum(runs) from seal as other where other.number <= seal.number)::text as runs
     from seal where at < $1 order by number desc limit 1`,
    [from],
  );
  return found && { ...found, runs: Number(found.runs) };
}

async function* entries(reading: AuditReading, from: number, until: number): AsyncGenerator<AuditRecord, void> {
  type Row = Omit<Extract<AuditRecord, { type: 'entry' }>, 'type' | 'at'> & { readonly at: string };
  for (let after = from; ;) {
    const rows = await queryRows<Row>(
      reading.database.pool,
      `select seq, at, by, action, target, detail::text as detail, encode(hash, 'hex') as hash,
         ${markColumn(reading)} as mark from audit_entry
       where seq > $1 and seq <= $2 order by seq limit ${pageSize}`,
      [after, until],
    );
    for (const row of rows) yield { type: 'entry', ...withoutNullMark(row), at: Number(row.at) };
    if (rows.length < pageSize) return;
    after = rows.at(-1)?.seq ?? after;
  }
}

interface EventRow {
  readonly runId: string;
  readonly seq: number;
  readonly at: string;
  readonly event: string;
  readonly data: string;
  readonly hash: string;
  readonly mark: string | null;
  readonly isCut: boolean;
}

const isMoreAfter = (page: readonly EventRow[]): boolean => page.length === pageSize || page.at(-1)?.isCut === true;

const eventColumns = (reading: AuditReading): string =>
  `e.run_id as "runId", e.seq, e.at, e.type as event, e.data::text as data, encode(e.hash, 'hex') as hash,
   ${markColumn(reading)} as mark`;

const eventOf = ({ runId, seq, at, event, data, hash, mark }: EventRow): AuditRecord => ({
  type: 'event',
  ...withoutNullMark({ runId, seq, at: Number(at), event, data, hash, mark }),
});

/** Leaves `mark` out where it is null. */
function withoutNullMark<Row extends { readonly mark?: string | null | undefined }>({ mark, ...row }: Row) {
  return mark === null || mark === undefined ? row : { ...row, mark };
}

/** By run: the position from which the events bear marks, where that is in the middle of the journal. */
async function startsOf(
  { database, key }: AuditReading,
  ids: readonly string[],
): Promise<ReadonlyMap<string, { readonly start: MarkStart }>> {
  if (key === undefined || ids.length === 0) return new Map();
  const rows = await queryRows<MarkStart & { readonly id: string }>(
    database.pool,
    `select run_id as id, seq, encode(head, 'hex') as head, encode(mark, 'hex') as mark
     from mark_start where key = $1 and run_id = any($2::uuid[])`,
    [key, ids],
  );
  return new Map(rows.map(({ id, ...start }) => [id, { start }]));
}

/** Each run followed by its journal; a query reads a page of events of several runs. */
async function* sealedRuns(reading: AuditReading, { number }: Seal): AsyncGenerator<AuditRecord, void> {
  const { database } = reading;
  const runs = await queryRows<SealedRun>(
    database.pool,
    `select run_id as id, seal, place, seq, encode(head, 'hex') as head from sealed_run where seal = $1 order by place`,
    [number],
  );
  const starts = await startsOf(
    reading,
    runs.map(({ id }) => id),
  );
  let events: readonly (EventRow & { readonly run_place: number })[] = [];
  let next = 0;
  let at = { run_place: -1, seq: 0 };
  let isMore = true;
  for (const run of runs) {
    yield { type: 'run', ...run, ...starts.get(run.id) };
    for (;;) {
      if (next === events.length && isMore) {
        events = await queryRows(
          database.pool,
          withinBytes(
            `select s.place as run_place, ${eventColumns(reading)} from sealed_run s join run_event e on e.run_id = s.run_id
             where s.seal = $1 and (s.place, e.seq) > ($2, $3) order by s.place, e.seq limit ${pageSize}`,
            'run_place, seq',
          ),
          [number, at.run_place, at.seq],
        );
        next = 0;
        isMore = isMoreAfter(events);
        at = events.at(-1) ?? at;
      }
      const event = events[next];
      if (event === undefined || event.run_place !== run.place) break;
      next += 1;
      yield eventOf(event);
    }
  }
}

async function* unsealedRuns(reading: AuditReading): AsyncGenerator<AuditRecord, void> {
  for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
    const runs = await queryRows<{ id: string }>(
      reading.database.pool,
      `select id from run where id > $1 and not exists (select from sealed_run where run_id = run.id)
       order by id limit ${pageSize}`,
      [after],
    );
    const ids = runs.map(({ id }) => id);
    const starts = await startsOf(reading, ids);
    for (const id of ids) {
      yield { type: 'run', id, seal: null, ...starts.get(id) };
      yield* journal(reading, id);
    }
    if (runs.length < pageSize) return;
    after = runs.at(-1)?.id ?? after;
  }
}

async function* journal(reading: AuditReading, runId: string): AsyncGenerator<AuditRecord, void> {
  for (let after = 0; ;) {
    const events = await queryRows<EventRow>(
      reading.database.pool,
      withinBytes(
        `select ${eventColumns(reading)} from run_event e where run_id = $1 and seq > $2 order by seq limit ${pageSize}`,
        'seq',
      ),
      [runId, after],
    );
    for (const event of events) yield eventOf(event);
    if (!isMoreAfter(events)) return;
    after = events.at(-1)?.seq ?? after;
  }
}
