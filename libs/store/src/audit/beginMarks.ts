/** Records the point from which all writes carry a mark under the installation's key. */
import { takeLock } from '../database/advisoryLocks.ts';
import type { AuditKeys } from '../database/auditKeys.ts';
import type { Database } from '../database/database.ts';
import { Prisma } from '../generated/client.ts';
import { genesis } from '../journal/chain.ts';
import { noteAction } from './entries.ts';
import { type MarkedHead, isHeadMarked, startHash } from './markCheck.ts';
import { type BegunMarks, type EarlierKey, type MarksBegun, newestMarksKey } from './marksBegun.ts';
import { MarksError, tamperedMessage } from './marksError.ts';
import { type SealBasis, checkSealBasis } from './sealBasis.ts';

const pageSize = 1_000;
const transactionMs = 120_000;

type MarkTransaction = Pick<Database['prisma'], '$executeRaw' | '$queryRaw' | 'auditEntry'>;

/** A key that is being replaced. */
interface ReplacedKey {
  readonly keys: AuditKeys;
  readonly begun: BegunMarks;
}

export interface MarksBeginning {
  readonly by: string;
  /**
   * What is there already. `none`: nothing. `as it stands`: the operator answers for it. A key that is replaced: what it
   * has marked goes on under the new key, and nothing else does.
   */
  readonly existing: 'none' | 'as it stands' | ReplacedKey;
  /** The key of the newest marks, as the caller saw it. Where it is another one by now, nothing begins. */
  readonly newestKey: string | undefined;
}

/**
 * Notes the positions of unsealed journals, and writes the entry `audit.begun`. Waits for a process that is doing this
 * now; then the caller has to look again. Rejects with `MarksError` and `UnavailableError`.
 */
export async function beginMarks(database: Database, { by, existing, newestKey }: MarksBeginning): Promise<void> {
  const { prisma, pool, auditKeys: keys } = database;
  const replaced = typeof existing === 'object' ? existing : undefined;
  await prisma.$transaction(
    async (transaction) => {
      await transaction.$executeRaw(Prisma.raw(takeLock('beginningMarks')));
      if ((await newestMarksKey(pool)) !== newestKey) return;
      const checked = replaced && (await checkedBasis(database, replaced));
      const detail: MarksBegun = {
        publicKey: keys.publicKey,
        ...(await lastSealOf(transaction)),
        runs: existing === 'none' ? 0 : await noteMarkStarts(transaction, keys, replaced?.keys),
        ...(replaced && { before: earlierKeys(replaced) }),
      };
      const entry = { by, action: 'audit.begun', target: keys.id, detail: { ...detail } } as const;
      await noteAction(transaction, database, entry);
      // An entry that came between was not checked, and no later check would look at it.
      if (checked !== undefined && (await lastPosition(transaction)) !== checked.entry.seq + 1)
        throw new MarksError('an entry was written to the audit while the secret key was replaced: start again');
    },
    { timeout: transactionMs, maxWait: transactionMs },
  );
}

async function checkedBasis({ pool }: Database, replaced: ReplacedKey): Promise<SealBasis> {
  const { basis, problem } = await checkSealBasis(pool, replaced);
  if (problem !== undefined) throw new MarksError(tamperedMessage(problem));
  return basis;
}

const earlierKeys = ({ keys, begun }: ReplacedKey): readonly EarlierKey[] => [
  { publicKey: keys.publicKey, entryHash: begun.entryHash },
  ...(begun.before ?? []),
];

async function lastPosition(transaction: MarkTransaction): Promise<number | undefined> {
  const [last] = await transaction.$queryRaw<{ seq: number }[]>`select max(seq) as seq from audit_entry`;
  return last?.seq;
}

async function lastSealOf(transaction: MarkTransaction): Promise<{ seals: number; sealHash: string }> {
  const [last] = await transaction.$queryRaw<{ seals: number; sealHash: string }[]>`
    select number as seals, encode(hash, 'hex') as "sealHash" from seal order by number desc limit 1`;
  return last ?? { seals: 0, sealHash: genesis };
}

/**
 * Notes the journal positions of runs without a seal, and returns the number of these runs. `before`: only of runs whose
 * last event has a mark of this key, or was noted under it.
 */
async function noteMarkStarts(
  transaction: MarkTransaction,
  keys: AuditKeys,
  before: AuditKeys | undefined,
): Promise<number> {
  let count = 0;
  for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
    const found = await transaction.$queryRaw<MarkedHead[]>`
      select run.id, last.seq, encode(last.hash, 'hex') as head, encode(last.mark, 'hex') as mark,
        encode(mark_start.mark, 'hex') as "startMark"
      from run cross join lateral
        (select seq, hash, mark from run_event where run_id = run.id order by seq desc limit 1) as last
        left join mark_start on mark_start.run_id = run.id and mark_start.key = ${before?.id ?? ''}
      where run.id > ${after}::uuid and not exists (select from sealed_run where run_id = run.id)
      order by run.id limit ${pageSize}`;
    const heads = before === undefined ? found : found.filter((head) => isHeadMarked(before, head));
    const marks = heads.map((one) => keys.mark(startHash(one.id, one)));
    await transaction.$executeRaw`
      insert into mark_start (run_id, key, seq, head, mark)
      select id, ${keys.id}, seq, decode(head, 'hex'), decode(mark, 'hex')
      from unnest(${heads.map(({ id }) => id)}::uuid[], ${heads.map(({ seq }) => seq)}::int[],
        ${heads.map(({ head }) => head)}::text[], ${marks}::text[]) as w(id, seq, head, mark)
      on conflict do nothing`;
    count += heads.length;
    const last = found.at(-1);
    if (last === undefined || found.length < pageSize) return count;
    after = last.id;
  }
}
