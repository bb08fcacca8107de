/** Records from when on all writes carry a mark under the installation's key. */
import type { Database } from '../database/database.ts';
import type { AuditKeys } from './auditKeys.ts';
import { noteAction } from './entries.ts';
import type { MarksBegun } from './markCheck.ts';
import { startHash } from './markCheck.ts';
import { haveMarksBegun, newestMarksKey } from './marksBegun.ts';
import { sealRuns } from './sealRuns.ts';

/** The number of this room's advisory lock. */
export const beginLock = 4_400_006;
/** After this long without an unmarked write, processes of an earlier version, or with the previous key, are gone. */
const quietMs = 300_000;
const lookedAt = 2_000;
const page = 1_000;
const transactionMs = 120_000;

type MarkTransaction = Pick<Database['prisma'], '$executeRaw' | '$queryRaw' | 'auditEntry'>;

/**
 * Once for each key: seals ended runs, notes the positions of the other journals, and writes an audit entry. False
 * where other processes still write without marks, another one is already doing this, or the marks that began last are
 * under a key that is not `isOurs` (its id; undefined where none have begun). Rejects with `UnavailableError`.
 */
export async function beginMarks(
  database: Database,
  nowMs: number,
  isOurs: (key: string | undefined) => boolean = () => true,
): Promise<boolean> {
  const { prisma, auditKeys: keys } = database;
  if (await haveMarksBegun(database)) return true;
  if (!(await isQuiet(prisma, keys, nowMs))) return false;
  while ((await sealRuns(database, { nowMs }))?.runs) continue;
  return prisma.$transaction(
    async (inside) => {
      const [lock] = await inside.$queryRaw<
        { held: boolean }[]
      >`select pg_try_advisory_xact_lock(${beginLock}) as held`;
      if (lock?.held !== true) return false;
      if (await haveMarksBegun(database)) return true;
      // Under the lock: the process that had it may have begun under another key.
      if (!isOurs(await newestMarksKey(database.pool))) return false;
      const [last] = await inside.$queryRaw<{ seals: number }[]>`select coalesce(max(number), 0) as seals from seal`;
      const runs = await noteStarts(inside, keys);
      const detail: MarksBegun = { publicKey: keys.publicKey, seals: last?.seals ?? 0, runs };
      await noteAction(inside, database, {
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
    where xact is not null order by xact desc limit ${lookedAt}`;
  return newest.every(({ at, hash, mark }) => Number(at) < nowMs - quietMs || keys.isMarked(hash, mark));
}

/** Of runs that no seal vouches for. How many they were. */
async function noteStarts(inside: MarkTransaction, keys: AuditKeys): Promise<number> {
  let count = 0;
  for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
    const heads = await inside.$queryRaw<{ id: string; seq: number; head: string }[]>`
      select run.id, last.seq, encode(last.hash, 'hex') as head from run cross join lateral
        (select seq, hash from run_event where run_id = run.id order by seq desc limit 1) as last
      where run.id > ${after}::uuid and not exists (select from sealed_run where run_id = run.id)
      order by run.id limit ${page}`;
    const marks = heads.map((one) => keys.mark(startHash(one.id, one)));
    await inside.$executeRaw`
      insert into mark_start (run_id, key, seq, head, mark)
      select id, ${keys.id}, seq, decode(head, 'hex'), decode(mark, 'hex')
      from unnest(${heads.map(({ id }) => id)}::uuid[], ${heads.map(({ seq }) => seq)}::int[],
        ${heads.map(({ head }) => head)}::text[], ${marks}::text[]) as w(id, seq, head, mark)
      on conflict do nothing`;
    count += heads.length;
    const last = heads.at(-1);
    if (last === undefined || heads.length < page) return count;
    after = last.id;
  }
}
