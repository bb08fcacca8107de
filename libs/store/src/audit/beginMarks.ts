/** Records the point from which all writes carry a mark under the installation's key. */
import { advisoryLocks } from '../database/advisoryLocks.ts';
import type { Database } from '../database/database.ts';
import type { AuditKeys } from './auditKeys.ts';
import { noteAction } from './entries.ts';
import type { MarksBegun } from './markCheck.ts';
import { startHash } from './markCheck.ts';
import { haveMarksBegun, newestMarksKey } from './marksBegun.ts';
import { sealRunsInTurn } from './sealRuns.ts';

/** After this long without an unmarked write, no process of an earlier version or with the previous key still runs. */
const quietMs = 300_000;
const newestEvents = 2_000;
const pageSize = 1_000;
const transactionMs = 120_000;

type MarkTransaction = Pick<Database['prisma'], '$executeRaw' | '$queryRaw' | 'auditEntry'>;

/**
 * Once for each key: seals ended runs, notes the positions of the other journals, and writes an audit entry. False where
 * other processes still write without marks, where another process is doing this, or where `isOurs` refuses the key of
 * the newest marks (its id; undefined where none have begun). Rejects with `UnavailableError`.
 */
export async function beginMarks(
  database: Database,
  nowMs: number,
  isOurs: (key: string | undefined) => boolean = () => true,
): Promise<boolean> {
  const { prisma, auditKeys: keys } = database;
  if (await haveMarksBegun(database)) return true;
  if (!(await isQuiet(prisma, keys, nowMs))) return false;
  let sealed;
  do {
    sealed = await sealRunsInTurn(database, { nowMs });
  } while (sealed.runs > 0);
  return prisma.$transaction(
    async (transaction) => {
      const [lock] = await transaction.$queryRaw<
        { held: boolean }[]
      >`select pg_try_advisory_xact_lock(${advisoryLocks.beginningMarks}) as held`;
      if (lock?.held !== true) return false;
      if (await haveMarksBegun(database)) return true;
      // Checked under the lock: the process that held it may have begun marks under another key.
      if (!isOurs(await newestMarksKey(database.pool))) return false;
      const [last] = await transaction.$queryRaw<
        { seals: number }[]
      >`select coalesce(max(number), 0) as seals from seal`;
      const runs = await noteMarkStarts(transaction, keys);
      const detail: MarksBegun = { publicKey: keys.publicKey, seals: last?.seals ?? 0, runs };
      await noteAction(transaction, database, {
        by: 'baton',
        action: 'audit.begun',
        target: keys.id,
        detail: { ...detail },
      });
      return true;
    },
    { timeout: transactionMs },
  );
}

async function isQuiet(prisma: Pick<MarkTransaction, '$queryRaw'>, keys: AuditKeys, nowMs: number): Promise<boolean> {
  const newest = await prisma.$queryRaw<{ at: bigint; hash: string; mark: string | null }[]>`
    select at, encode(hash, 'hex') as hash, encode(mark, 'hex') as mark from run_event
    where xact is not null order by xact desc limit ${newestEvents}`;
  return newest.every(({ at, hash, mark }) => Number(at) < nowMs - quietMs || keys.isMarked(hash, mark));
}

/** Notes the journal positions of runs without a seal, and returns the number of these runs. */
async function noteMarkStarts(transaction: MarkTransaction, keys: AuditKeys): Promise<number> {
  let count = 0;
  for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
    const heads = await transaction.$queryRaw<{ id: string; seq: number; head: string }[]>`
      select run.id, last.seq, encode(last.hash, 'hex') as head from run cross join lateral
        (select seq, hash from run_event where run_id = run.id order by seq desc limit 1) as last
      where run.id > ${after}::uuid and not exists (select from sealed_run where run_id = run.id)
      order by run.id limit ${pageSize}`;
    const marks = heads.map((one) => keys.mark(startHash(one.id, one)));
    await transaction.$executeRaw`
      insert into mark_start (run_id, key, seq, head, mark)
      select id, ${keys.id}, seq, decode(head, 'hex'), decode(mark, 'hex')
      from unnest(${heads.map(({ id }) => id)}::uuid[], ${heads.map(({ seq }) => seq)}::int[],
        ${heads.map(({ head }) => head)}::text[], ${marks}::text[]) as w(id, seq, head, mark)
      on conflict do nothing`;
    count += heads.length;
    const last = heads.at(-1);
    if (last === undefined || heads.length < pageSize) return count;
    after = last.id;
  }
}
