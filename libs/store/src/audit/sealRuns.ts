/** Seals finished runs: from then on a change to their journals breaks every later seal. */
import type { PoolClient } from 'pg';

import type { Database } from '../database/database.ts';
import { asUnavailable } from '../database/databaseError.ts';
import { inTransaction } from '../database/transaction.ts';
import { genesis } from '../journal/chain.ts';
import { firstRunId } from '../runs/runId.ts';
import type { AuditKeys } from './auditKeys.ts';
import { startHash } from './markCheck.ts';
import { haveMarksBegun } from './marksBegun.ts';
import { merkleRoot } from './merkle.ts';
import { leafOf, sealHash } from './record.ts';

/** The number of this room's advisory lock. */
const lockKey = 4_400_003;
const runsMax = 500;

export interface SealOptions {
  readonly nowMs: number;
  /** Look only at runs that ended at this instant or later; absent: at all. */
  readonly from?: number;
}

export interface SealedRuns {
  readonly runs: number;
  /** That are over and whose journals are not vouched for: they end without their mark, or in the middle. */
  readonly refused: number;
  /** When the last of them ended: where to go on. */
  readonly until: number;
}

/**
 * Makes one seal of at most 500 runs, in the order of their ends, where there is something to seal: runs, or entries of
 * the audit. Undefined where there was nothing, or another process is at it. Rejects with `UnavailableError`.
 */
export async function sealRuns(database: Database, { nowMs, from = 0 }: SealOptions): Promise<SealedRuns | undefined> {
  const { pool, auditKeys } = database;
  const areMarked = await haveMarksBegun(database);
  return inTransaction(pool, async (client) => {
    const [lock] = await rows<{ held: boolean }>(client, 'select pg_try_advisory_xact_lock($1) as held', [lockKey]);
    if (lock?.held !== true) return undefined;
    const last = await sealBefore(client);
    const entry = await lastEntry(client);
    const found = await rows<EndedRun>(client, ended, [new Date(from), runsMax, auditKeys.id]);
    const runs = found.filter((run) => isWhole(run) && (!areMarked || isVouchedFor(auditKeys, run)));
    const result = { refused: found.length - runs.length, until: found.at(-1)?.endedAt.getTime() ?? from };
    const isSigned = last.number === 0 || last.key === auditKeys.id;
    if (runs.length === 0 && entry.seq === last.entries && isSigned)
      return result.refused === 0 ? undefined : { runs: 0, ...result };
    const seal = {
      number: last.number + 1,
      at: nowMs,
      runs: runs.length,
      root: merkleRoot(runs.map(leafOf)),
      entries: entry.seq,
      entryHash: entry.hash,
    };
    const head = sealHash(last.hash, seal);
    await rows(
      client,
      `insert into seal (number, at, runs, root, entries, entry_hash, hash, key, signature)
       values ($1, $2, $3, decode($4, 'hex'), $5, decode($6, 'hex'), decode($7, 'hex'), $8, decode($9, 'hex'))`,
      [
        seal.number,
        seal.at,
        seal.runs,
        seal.root,
        seal.entries,
        seal.entryHash,
        head,
        auditKeys.id,
        auditKeys.sign(head),
      ],
    );
    await rows(
      client,
      `insert into sealed_run (run_id, seal, place, seq, head)
       select id, $1, n - 1, seq, decode(head, 'hex')
       from unnest($2::uuid[], $3::int[], $4::text[]) with ordinality as w(id, seq, head, n)`,
      [seal.number, runs.map(({ id }) => id), runs.map(({ seq }) => seq), runs.map(({ head }) => head)],
    );
    return { runs: runs.length, ...result };
  });
}

/** The last one: kept elsewhere, a checkpoint. Rejects with `UnavailableError`. */
export async function lastSeal({
  pool,
}: Database): Promise<{ readonly seal: number; readonly hash: string } | undefined> {
  const text = `select number as seal, encode(hash, 'hex') as hash from seal order by number desc limit 1`;
  const { rows } = await pool.query<{ seal: number; hash: string }>(text).catch((error: unknown) => {
    throw asUnavailable(error);
  });
  return rows[0];
}

/** When it was last sealed; 0: never. Rejects with `UnavailableError`. */
export async function lastSealedAt({ pool }: Database): Promise<number> {
  const text = 'select at from seal order by number desc limit 1';
  const { rows } = await pool.query<{ at: string }>(text).catch((error: unknown) => {
    throw asUnavailable(error);
  });
  return Number(rows[0]?.at ?? 0);
}

/** Whether any of so many runs is over and was not sealed; `next`: the last of them, where there may be more. */
export async function findUnsealed(
  { pool }: Database,
  { after, most }: { readonly after?: string | undefined; readonly most: number },
): Promise<{ readonly isThere: boolean; readonly next?: string }> {
  const { rows } = await pool
    .query<{ last: string | null; count: number; isThere: boolean | null }>(
      `select max(id::text) as last, count(*)::int as count,
         bool_or(ended_at is not null and not exists (select from sealed_run where run_id = id)) as "isThere"
       from (select id, ended_at from run where id > $1 order by id limit $2) as looked`,
      [after ?? firstRunId(0), most],
    )
    .catch((error: unknown) => {
      throw asUnavailable(error);
    });
  const [{ last, count, isThere } = { last: null, count: 0, isThere: null }] = rows;
  return { isThere: isThere === true, ...(count === most && last !== null ? { next: last } : {}) };
}

interface EndedRun {
  readonly id: string;
  readonly endedAt: Date;
  readonly seq: number;
  readonly head: string;
  /** Of the last event. */
  readonly type: string;
  readonly mark: string | null;
  readonly startMark: string | null;
}

/** A journal whose end was cut off still has its marks. */
const isWhole = ({ type }: EndedRun): boolean => type === 'run.finished';

/** The mark of the last event is enough: its hash covers all before it. */
const isVouchedFor = (keys: AuditKeys, { id, seq, head, mark, startMark }: EndedRun): boolean =>
  keys.isMarked(head, mark) || keys.isMarked(startHash(id, { seq, head }), startMark);

const ended = `
  select run.id, ended_at as "endedAt", last.seq, last.type, encode(last.hash, 'hex') as head,
    encode(last.mark, 'hex') as mark, encode(mark_start.mark, 'hex') as "startMark"
  from run cross join lateral
    (select seq, type, hash, mark from run_event where run_id = run.id order by seq desc limit 1) as last
    left join mark_start on mark_start.run_id = run.id and mark_start.key = $3
  where ended_at >= $1 and not exists (select from sealed_run where run_id = run.id)
  order by ended_at, run.id limit $2`;

interface LastSeal {
  readonly number: number;
  readonly entries: number;
  readonly hash: string;
  readonly key: string | null;
}

async function sealBefore(client: PoolClient): Promise<LastSeal> {
  const [seal] = await rows<LastSeal>(
    client,
    `select number, entries, encode(hash, 'hex') as hash, key from seal order by number desc limit 1`,
    [],
  );
  return seal ?? { number: 0, entries: 0, hash: genesis, key: null };
}

async function lastEntry(client: PoolClient): Promise<{ seq: number; hash: string }> {
  const [entry] = await rows<{ seq: number; hash: string }>(
    client,
    `select seq, encode(hash, 'hex') as hash from audit_entry order by seq desc limit 1`,
    [],
  );
  return entry ?? { seq: 0, hash: genesis };
}

async function rows<Row extends object>(client: PoolClient, text: string, values: readonly unknown[]): Promise<Row[]> {
  const found = await client.query<Row>(text, [...values]).catch((error: unknown) => {
    throw asUnavailable(error);
  });
  return found.rows;
}
