/**
 * A seal vouches for all seals and entries before it. So before Baton signs one, it checks the newest seal, and the
 * entries since that: who owns the database may have changed them so that a signature on top would cover the change.
 */
import type { Pool } from 'pg';

import { type AuditKeys, isSignedBy, readPublicKey } from '../database/auditKeys.ts';
import { queryRows } from '../database/queryRows.ts';
import { genesis } from '../journal/chain.ts';
import type { AuditProblem } from './auditProblem.ts';
import { type ChainedEntry, entryHash } from './entries.ts';
import type { BegunMarks } from './marksBegun.ts';
import { type Seal, sealHash } from './record.ts';
import { newestSeals } from './storedSeals.ts';

const pageSize = 1_000;

/** On which the next seal stands. */
export interface SealBasis {
  /** The newest seal; number 0 where there is none. */
  readonly seal: Pick<Seal, 'number' | 'hash' | 'entries'> & { readonly key?: string | null | undefined };
  /** The newest entry; position 0 where there is none. */
  readonly entry: { readonly seq: number; readonly hash: string };
}

export interface BasisCheck {
  readonly keys: AuditKeys;
  /** Since when `keys` mark. */
  readonly begun: BegunMarks;
}

/** `problem`: the first thing that is not as this installation wrote it. Rejects with `UnavailableError`. */
export async function checkSealBasis(
  client: Pick<Pool, 'query'>,
  check: BasisCheck,
): Promise<{ readonly basis: SealBasis; readonly problem?: AuditProblem }> {
  const [last, previous] = await newestSeals(client);
  const seal = last ?? { number: 0, hash: genesis, entries: 0, entryHash: genesis };
  const problem = sealProblem(check, seal, last, previous);
  const { entry, problem: inEntries } = await readEntries(client, check, seal);
  const found = problem ?? inEntries;
  return { basis: { seal, entry }, ...(found && { problem: found }) };
}

function sealProblem(
  { keys, begun }: BasisCheck,
  { number, hash }: Pick<Seal, 'number' | 'hash'>,
  last: Seal | undefined,
  previous: Seal | undefined,
): AuditProblem | undefined {
  const where = `seal ${number}`;
  if (number < begun.seals)
    return { kind: 'cut-off', where: `seal ${number + 1}`, message: `There were ${begun.seals} when marks began.` };
  if (number === begun.seals)
    return begun.sealHash === undefined || begun.sealHash === hash
      ? undefined
      : { kind: 'edited', where, message: 'It is not the seal that was the last one when marks began.' };
  if (last === undefined || sealHash(previous?.hash ?? genesis, last) !== hash)
    return { kind: 'edited', where, message: 'The seal does not have its hash.' };
  const key = readPublicKey(keys.publicKey);
  const isSigned = key !== undefined && last.key === key.id && isSignedBy(key, last, last.signature ?? '');
  return isSigned ? undefined : { kind: 'forged', where, message: 'It is not signed by this installation.' };
}

interface EntryRow extends Omit<ChainedEntry, 'at'> {
  readonly at: string;
  readonly hash: string;
  readonly mark: string | null;
}

async function readEntries(
  client: Pick<Pool, 'query'>,
  { keys, begun }: BasisCheck,
  seal: Pick<Seal, 'entries' | 'entryHash'>,
): Promise<{ readonly entry: SealBasis['entry']; readonly problem?: AuditProblem }> {
  let problem: AuditProblem | undefined;
  let entry = { seq: seal.entries, hash: seal.entryHash };
  for (let isFirst = seal.entries > 0; ;) {
    const rows = await queryRows<EntryRow>(
      client,
      `select seq, at, by, action, target, detail::text as detail, encode(hash, 'hex') as hash,
         encode(mark, 'hex') as mark from audit_entry where seq >= $1 order by seq limit ${pageSize}`,
      [isFirst ? entry.seq : entry.seq + 1],
    );
    if (isFirst && rows.shift()?.seq !== entry.seq) {
      const where = `entry ${entry.seq}`;
      return { entry, problem: { kind: 'cut-off', where, message: 'The newest seal vouches for it, and it is gone.' } };
    }
    for (const row of rows) {
      problem ??= entryProblem({ keys, begun }, entry, row);
      entry = { seq: row.seq, hash: row.hash };
    }
    if (rows.length + (isFirst ? 1 : 0) < pageSize) return { entry, ...(problem && { problem }) };
    isFirst = false;
  }
}

function entryProblem(
  { keys, begun }: BasisCheck,
  before: SealBasis['entry'],
  { mark, ...row }: EntryRow,
): AuditProblem | undefined {
  const where = `entry ${before.seq + 1}`;
  if (row.seq !== before.seq + 1) return { kind: 'missing', where, message: 'It is not there, and later ones are.' };
  if (entryHash(before.hash, { ...row, at: Number(row.at) }) !== row.hash)
    return { kind: 'edited', where, message: 'The entry does not have its hash.' };
  if (row.seq >= begun.entry && !keys.isMarked(row.hash, mark))
    return { kind: 'forged', where, message: 'It does not have the mark of this installation.' };
  return undefined;
}
