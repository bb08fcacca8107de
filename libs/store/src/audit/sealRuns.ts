/** Seals finished runs: from then on a change to their journals breaks every later seal. */
import { setTimeout } from 'node:timers/promises';

import type { PoolClient } from 'pg';

import { advisoryLocks } from '../database/advisoryLocks.ts';
import type { Database } from '../database/database.ts';
import { queryRows } from '../database/queryRows.ts';
import { inTransaction } from '../database/transaction.ts';
import { walkInOrder } from '../database/walkInOrder.ts';
import { genesis } from '../journal/chain.ts';
import type { AuditKeys } from './auditKeys.ts';
import { startHash } from './markCheck.ts';
import { haveMarksBegun } from './marksBegun.ts';
import { merkleRoot } from './merkle.ts';
import { leafOf, sealHash } from './record.ts';

const runsMax = 500;
/** Another process makes its seal in about this time. */
const turnMs = 20;

export interface SealOptions {
  readonly nowMs: number;
  /** Only runs that ended at this instant or later; absent: all runs. */
  readonly from?: number;
}

export interface SealedRuns {
  readonly runs: number;
  /** Ended runs that were not sealed because their journals end without a mark, or without `run.finished`. */
  readonly refused: number;
  /** When the last of these runs ended: `from` of the next call. */
  readonly until: number;
  /** These are as many as one seal takes: there may be more. */
  readonly isFull: boolean;
}

/**
 * Makes one seal of at most 500 runs, in the order of their ends, if there are runs or audit entries to seal. Undefined
 * where another process is making one. Rejects with `UnavailableError`.
 */
export async function sealRuns(database: Database, { nowMs, from = 0 }: SealOptions): Promise<SealedRuns | undefined> {
  const { pool, auditKeys } = database;
  const areMarked = await haveMarksBegun(database);
  return inTransaction(pool, async (client) => {
    const [lock] = await queryRows<{ held: boolean }>(client, 'select pg_try_advisory_xact_lock($1) as held', [
      advisoryLocks.sealing,
    ]);
    if (lock?.held !== true) return undefined;
    const last = await newestSeal(client);
    const entry = await lastEntry(client);
    await walkInOrder(client);
    const found = await queryRows<EndedRun>(client, endedRunsSql, [new Date(from), runsMax, auditKeys.id]);
    const runs = found.filter((run) => hasEnd(run) && (!areMarked || isEndMarked(auditKeys, run)));
    const result = {
      runs: runs.length,
      refused: found.length - runs.length,
      until: found.at(-1)?.endedAt.getTime() ?? from,
      isFull: found.length === runsMax,
    };
    const isSigned = last.number === 0 || last.key === auditKeys.id;
    if (runs.length === 0 && entry.seq === last.entries && isSigned) return result;
    const seal = {
      number: last.number + 1,
      at: nowMs,
      runs: runs.length,
      root: merkleRoot(runs.map(leafOf)),
      entries: entry.seq,
      entryHash: entry.hash,
    };
    const head = sealHash(last.hash, seal);
    await queryRows(
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
    await queryRows(
      client,
      `insert into sealed_run (run_id, seal, place, seq, head)
       select id, $1, n - 1, seq, decode(head, 'hex')
       from unnest($2::uuid[], $3::int[], $4::text[]) with ordinality as w(id, seq, head, n)`,
      [seal.number, runs.map(({ id }) => id), runs.map(({ seq }) => seq), runs.map(({ head }) => head)],
    );
    return result;
  });
}

/** Makes a seal as `sealRuns` does, after that of another process. Rejects with `UnavailableError`. */
export async function sealRunsInTurn(database: Database, options: SealOptions): Promise<SealedRuns> {
  for (;;) {
    const sealed = await sealRuns(database, options);
    if (sealed !== undefined) return sealed;
    // Not within Postgres: each process that waits there has a connection of its pool.
    await setTimeout(turnMs);
  }
}

/** The last seal, which serves as a checkpoint if it is kept elsewhere. Rejects with `UnavailableError`. */
export async function lastSeal({
  pool,
}: Database): Promise<{ readonly seal: number; readonly hash: string } | undefined> {
  const text = `select number as seal, encode(hash, 'hex') as hash from seal order by number desc limit 1`;
  const rows = await queryRows<{ seal: number; hash: string }>(pool, text);
  return rows[0];
}

interface EndedRun {
  readonly id: string;
  readonly endedAt: Date;
  /** Of the last event, if there is one. */
  readonly seq: number;
  readonly head: string;
  readonly type: string | null;
  readonly mark: string | null;
  readonly startMark: string | null;
}

/** Checked because marks do not show that the end of a journal was cut off. */
const hasEnd = ({ type }: EndedRun): boolean => type === 'run.finished';

/** Checks only the mark of the last event, whose hash covers all events before it. */
const isEndMarked = (keys: AuditKeys, { id, seq, head, mark, startMark }: EndedRun): boolean =>
  keys.isMarked(head, mark) || keys.isMarked(startHash(id, { seq, head }), startMark);

/** Limited before the journals are looked up: as one join, Postgres looks up all of them to keep a few. */
const endedRunsSql = `
  with ended as materialized (
    select id, ended_at from run
    where ended_at >= $1 and not exists (select from sealed_run where run_id = run.id)
    order by ended_at, id limit $2)
  select ended.id, ended_at as "endedAt", last.seq, last.type, encode(last.hash, 'hex') as head,
    encode(last.mark, 'hex') as mark, encode(mark_start.mark, 'hex') as "startMark"
  from ended left join lateral
    (select seq, type, hash, mark from run_event where run_id = ended.id order by seq desc limit 1) as last on true
    left join mark_start on mark_start.run_id = ended.id and mark_start.key = $3
  order by ended_at, ended.id`;

interface LastSeal {
  readonly number: number;
  readonly entries: number;
  readonly hash: string;
  readonly key: string | null;
}

async function newestSeal(client: PoolClient): Promise<LastSeal> {
  const [seal] = await queryRows<LastSeal>(
    client,
    `select number, entries, encode(hash, 'hex') as hash, key from seal order by number desc limit 1`,
    [],
  );
  return seal ?? { number: 0, entries: 0, hash: genesis, key: null };
}

async function lastEntry(client: PoolClient): Promise<{ seq: number; hash: string }> {
  const [entry] = await queryRows<{ seq: number; hash: string }>(
    client,
    `select seq, encode(hash, 'hex') as hash from audit_entry order by seq desc limit 1`,
    [],
  );
  return entry ?? { seq: 0, hash: genesis };
}
