/** Seals finished runs: from then on a change to their journals breaks every later seal. */
import { setTimeout } from 'node:timers/promises';

import type { FailureCode } from '@baton/engine';
import type { PoolClient } from 'pg';

import { tryLock } from '../database/advisoryLocks.ts';
import type { AuditKeys, MarksPlace } from '../database/auditKeys.ts';
import type { Database } from '../database/database.ts';
import { queryRows } from '../database/queryRows.ts';
import { inTransaction } from '../database/transaction.ts';
import { walkInOrder } from '../database/walkInOrder.ts';
import { endCodeColumn } from '../journal/eventText.ts';
import type { AuditProblem } from './auditProblem.ts';
import { type MarkedHead, isHeadMarked, notBegun } from './markCheck.ts';
import { readBegun } from './marksBegun.ts';
import { merkleRoot } from './merkle.ts';
import { leafOf, sealHash } from './record.ts';
import { type SealBasis, checkSealBasis } from './sealBasis.ts';

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
  /** Nothing is sealed while the seals and entries before are not as this installation wrote them. */
  readonly problem?: AuditProblem;
}

/**
 * Makes one seal of at most 500 runs, in the order of their ends, if there are runs or audit entries to seal. Undefined
 * where another process is making one. Rejects with `UnavailableError`.
 */
export async function sealRuns(database: Database, { nowMs, from = 0 }: SealOptions): Promise<SealedRuns | undefined> {
  const { pool, auditKeys: keys } = database;
  return inTransaction(pool, async (client) => {
    const [lock] = await queryRows<{ held: boolean }>(client, tryLock('sealing'));
    if (lock?.held !== true) return undefined;
    const begun = await readBegun(client, keys);
    const nothing = { runs: 0, refused: 0, until: from, isFull: false };
    if (begun === undefined) return { ...nothing, problem: notBegun };
    const { basis, problem } = await checkSealBasis(client, { keys, begun });
    if (problem !== undefined) return { ...nothing, problem };
    await walkInOrder(client);
    const found = await queryRows<EndedRun>(client, endedRunsSql, [new Date(from), runsMax, keys.id]);
    const ended = found.filter((run) => hasEnd(run) && isHeadMarked(keys, run));
    const forged = await forgedRuns(client, keys, ended);
    const runs = ended.filter(({ id }) => !forged.has(id));
    const { seal: last, entry } = basis;
    const isSigned = last.number === 0 || last.key === keys.id;
    if (runs.length > 0 || entry.seq > last.entries || !isSigned)
      await writeSeal(client, keys, { basis, runs, begun, at: nowMs });
    return {
      runs: runs.length,
      refused: found.length - runs.length,
      until: found.at(-1)?.endedAt.getTime() ?? from,
      isFull: found.length === runsMax,
    };
  });
}

interface SealedContent {
  readonly basis: SealBasis;
  readonly runs: readonly EndedRun[];
  readonly begun: MarksPlace;
  readonly at: number;
}

async function writeSeal(
  client: PoolClient,
  keys: AuditKeys,
  { basis: { seal: last, entry }, runs, begun, at }: SealedContent,
): Promise<void> {
  const root = merkleRoot(runs.map(leafOf));
  const seal = { number: last.number + 1, at, runs: runs.length, root, entries: entry.seq, entryHash: entry.hash };
  const head = sealHash(last.hash, seal);
  await queryRows(
    client,
    `insert into seal
       (number, at, runs, root, entries, entry_hash, hash, key, signature, begun_entry, begun_at,
        begun_records)
     values ($1, $2, $3, decode($4, 'hex'), $5, decode($6, 'hex'), decode($7, 'hex'), $8, decode($9, 'hex'), $10, $11, $12)`,
    [
      seal.number,
      at,
      seal.runs,
      root,
      seal.entries,
      seal.entryHash,
      head,
      keys.id,
      keys.sign({ hash: head, begun }),
      begun.entry,
      begun.at,
      begun.records,
    ],
  );
  await queryRows(
    client,
    `insert into sealed_run (run_id, seal, place, seq, head)
     select id, $1, n - 1, seq, decode(head, 'hex')
     from unnest($2::uuid[], $3::int[], $4::text[]) with ordinality as w(id, seq, head, n)`,
    [seal.number, runs.map(({ id }) => id), runs.map(({ seq }) => seq), runs.map(({ head: end }) => end)],
  );
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

/** When the last seal was made, epoch milliseconds; undefined where there is none. Rejects with `UnavailableError`. */
export async function lastSealAt({ pool }: Database): Promise<number | undefined> {
  const rows = await queryRows<{ at: string }>(pool, 'select at from seal order by number desc limit 1');
  return rows[0] === undefined ? undefined : Number(rows[0].at);
}

interface EndedRun extends MarkedHead {
  readonly endedAt: Date;
  /** Of the last event, if there is one. */
  readonly type: string | null;
  /** The code of the failure with which it ended, as JSON. */
  readonly failure: string | null;
}

/** Checked because marks do not show that the end of a journal was cut off. */
const hasEnd = ({ type }: EndedRun): boolean => type === 'run.finished';

const integrityLost = JSON.stringify('integrity-lost' satisfies FailureCode);

/**
 * Runs that a worker ended because their journals were forged: the end has a mark, and the forged event before it has none.
 */
async function forgedRuns(
  client: PoolClient,
  keys: AuditKeys,
  ended: readonly EndedRun[],
): Promise<ReadonlySet<string>> {
  const suspects = ended.filter(({ failure }) => failure === integrityLost);
  if (suspects.length === 0) return new Set();
  const events = await queryRows<MarkedHead>(
    client,
    `select run_event.run_id as id, run_event.seq, encode(hash, 'hex') as head, encode(run_event.mark, 'hex') as mark,
       encode(mark_start.mark, 'hex') as "startMark"
     from run_event left join mark_start on mark_start.run_id = run_event.run_id and key = $2 and mark_start.seq = run_event.seq
     where run_event.run_id = any($1::uuid[]) order by run_event.run_id, run_event.seq desc`,
    [suspects.map(({ id }) => id), keys.id],
  );
  return new Set(
    [...Map.groupBy(events, ({ id }) => id)].flatMap(([id, heads]) => {
      const unmarked = heads.find((head) => !keys.isMarked(head.head, head.mark));
      // Below the position where marks began, events have none.
      return unmarked === undefined || isHeadMarked(keys, unmarked) ? [] : [id];
    }),
  );
}

/** Limited before the journals are looked up: as one join, Postgres looks up all of them to keep a few. */
const endedRunsSql = `
  with ended as materialized (
    select id, ended_at from run
    where ended_at >= $1 and not exists (select from sealed_run where run_id = run.id)
    order by ended_at, id limit $2)
  select ended.id, ended_at as "endedAt", last.seq, last.type, last.failure, encode(last.hash, 'hex') as head,
    encode(last.mark, 'hex') as mark, encode(mark_start.mark, 'hex') as "startMark"
  from ended left join lateral
    (select seq, type, case type when 'run.finished' then ${endCodeColumn} end as failure, hash, mark from run_event where run_id = ended.id
     order by seq desc limit 1) as last on true
    left join mark_start on mark_start.run_id = ended.id and mark_start.key = $3
  order by ended_at, ended.id`;
