/** The whole audit trail, record by record, as it is exported and as it is verified. Never more than a page in memory. */
import { createHash } from 'node:crypto';

import { asTold } from '../database/databaseError.ts';
import { genesis } from '../journal/chain.ts';
import type { Database } from '../openStore.ts';
import type { AuditRecord, Manifest, Seal, SealedRun } from './record.ts';

const page = 1_000;
const seqMost = 2 ** 31 - 1;

export interface RecordOptions {
  readonly nowMs: number;
  /** Also the journals of runs that are not sealed yet. */
  readonly isWithUnsealed?: boolean;
}

/** Rejects with `UnavailableError`. */
export async function* auditRecords(database: Database, options: RecordOptions): AsyncGenerator<AuditRecord, void> {
  const manifest = await manifestOf(database, options.nowMs);
  yield manifest;
  yield* entries(database, 0, manifest.entries);
  for (let number = 0; number < manifest.seals; number += page) {
    for (const seal of await seals(database, number, Math.min(number + page, manifest.seals))) {
      yield { type: 'seal', ...seal };
      yield* sealedRuns(database, seal);
    }
  }
  if (options.isWithUnsealed === true) yield* unsealedRuns(database);
  // What says which journals were removed while they were read.
  yield* entries(database, manifest.entries, seqMost);
}

/** As lines of JSON, with their breaks; the last one vouches for all others. */
export async function* auditLines(records: AsyncIterable<AuditRecord>): AsyncGenerator<string, void> {
  const digest = createHash('sha256');
  let count = 0;
  for await (const record of records) {
    const line = `${JSON.stringify(record)}\n`;
    digest.update(line);
    count += 1;
    yield line;
  }
  const end: AuditRecord = { type: 'end', records: count, digest: digest.digest('hex') };
  yield `${JSON.stringify(end)}\n`;
}

async function manifestOf(database: Database, at: number): Promise<Manifest> {
  type Found = { entries: number; seals: number; sealHash: string; runs: string };
  const [found] = await query<Found>(
    database,
    `select coalesce((select max(seq) from audit_entry), 0) as entries,
       coalesce((select max(number) from seal), 0) as seals,
       coalesce((select encode(hash, 'hex') from seal order by number desc limit 1), $1) as "sealHash",
       coalesce((select sum(runs) from seal), 0)::text as runs`,
    [genesis],
  );
  const { entries = 0, seals = 0, sealHash = genesis, runs = '0' } = found ?? {};
  return { type: 'manifest', format: 'baton-audit/1', at, entries, seals, sealHash, runs: Number(runs) };
}

async function* entries(database: Database, from: number, until: number): AsyncGenerator<AuditRecord, void> {
  type Row = { seq: number; at: string; by: string; action: string; target: string; detail: string; hash: string };
  for (let after = from; ;) {
    const rows = await query<Row>(
      database,
      `select seq, at, by, action, target, detail::text as detail, encode(hash, 'hex') as hash from audit_entry
       where seq > $1 and seq <= $2 order by seq limit ${page}`,
      [after, until],
    );
    for (const row of rows) yield { type: 'entry', ...row, at: Number(row.at) };
    if (rows.length < page) return;
    after = rows.at(-1)?.seq ?? after;
  }
}

async function seals(database: Database, after: number, until: number): Promise<readonly Seal[]> {
  type Row = Omit<Seal, 'at'> & { readonly at: string };
  const rows = await query<Row>(
    database,
    `select number, at, runs, encode(root, 'hex') as root, entries, encode(entry_hash, 'hex') as "entryHash",
       encode(hash, 'hex') as hash from seal where number > $1 and number <= $2 order by number`,
    [after, until],
  );
  return rows.map((row) => ({ ...row, at: Number(row.at) }));
}

interface EventRow {
  readonly runId: string;
  readonly seq: number;
  readonly at: string;
  readonly event: string;
  readonly data: string;
  readonly hash: string;
}

const eventColumns = `e.run_id as "runId", e.seq, e.at, e.type as event, e.data::text as data, encode(e.hash, 'hex') as hash`;

const eventOf = (row: EventRow): AuditRecord => ({ type: 'event', ...row, at: Number(row.at) });

/** Each with its journal, a page of events of several runs at a time. */
async function* sealedRuns(database: Database, { number }: Seal): AsyncGenerator<AuditRecord, void> {
  const runs = await query<SealedRun>(
    database,
    `select run_id as id, seal, place, seq, encode(head, 'hex') as head from sealed_run where seal = $1 order by place`,
    [number],
  );
  let events: readonly (EventRow & { readonly place: number })[] = [];
  let next = 0;
  let at = { place: -1, seq: 0 };
  let isMore = true;
  for (const run of runs) {
    yield { type: 'run', ...run };
    for (;;) {
      if (next === events.length && isMore) {
        events = await query(
          database,
          `select s.place, ${eventColumns} from sealed_run s join run_event e on e.run_id = s.run_id
           where s.seal = $1 and (s.place, e.seq) > ($2, $3) order by s.place, e.seq limit ${page}`,
          [number, at.place, at.seq],
        );
        next = 0;
        isMore = events.length === page;
        at = events.at(-1) ?? at;
      }
      const event = events[next];
      if (event === undefined || event.place !== run.place) break;
      next += 1;
      const { place: _place, ...row } = event;
      yield eventOf(row);
    }
  }
}

async function* unsealedRuns(database: Database): AsyncGenerator<AuditRecord, void> {
  for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
    const runs = await query<{ id: string }>(
      database,
      `select id from run where id > $1 and not exists (select from sealed_run where run_id = run.id)
       order by id limit ${page}`,
      [after],
    );
    for (const { id } of runs) {
      yield { type: 'run', id, seal: null };
      yield* journal(database, id);
    }
    if (runs.length < page) return;
    after = runs.at(-1)?.id ?? after;
  }
}

async function* journal(database: Database, runId: string): AsyncGenerator<AuditRecord, void> {
  for (let after = 0; ;) {
    const events = await query<EventRow>(
      database,
      `select ${eventColumns} from run_event e where run_id = $1 and seq > $2 order by seq limit ${page}`,
      [runId, after],
    );
    for (const event of events) yield eventOf(event);
    if (events.length < page) return;
    after = events.at(-1)?.seq ?? after;
  }
}

async function query<Row extends object>({ pool }: Database, text: string, values: readonly unknown[]): Promise<Row[]> {
  const { rows } = await pool.query<Row>(text, [...values]).catch((error: unknown) => {
    throw asTold(error);
  });
  return rows;
}
