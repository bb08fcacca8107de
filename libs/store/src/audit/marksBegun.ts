/** Reads since when this installation marks what it writes. */
import type { Pool } from 'pg';

import type { AuditKeys, MarksPlace } from '../database/auditKeys.ts';
import { queryRows } from '../database/queryRows.ts';
import { genesis } from '../journal/chain.ts';
import { type ChainedEntry, entryHash } from './entries.ts';

/** The detail of an entry `audit.begun`, whose target is the id of the public key. */
export interface MarksBegun {
  readonly publicKey: string;
  /** Number of seals at that time; runs in these seals need no marks. */
  readonly seals: number;
  /** Hash of the last of these seals. Absent in entries of older versions of Baton. */
  readonly sealHash?: string;
  /** Number of unsealed journals at that time, each marked from its position then. */
  readonly runs: number;
  /** The keys that this one replaced, the last one first. What they had marked was checked when this one began. */
  readonly before?: readonly EarlierKey[];
}

/** `entryHash`: of its entry `audit.begun`. */
export type EarlierKey = Readonly<Record<'publicKey' | 'entryHash', string>>;

/** An entry `audit.begun` that has its hash and its mark. */
export interface BegunMarks extends MarksPlace, MarksBegun {
  readonly entryHash: string;
}

interface BegunRow extends Omit<ChainedEntry, 'at'> {
  readonly at: string;
  readonly before: string;
  readonly hash: string;
  readonly mark: string | null;
}

/** Undefined where no entry with a mark of `keys` says that their marks begin. Rejects with `UnavailableError`. */
export async function readBegun(client: Pick<Pool, 'query'>, keys: AuditKeys): Promise<BegunMarks | undefined> {
  const rows = await queryRows<BegunRow>(
    client,
    `select entry.seq, entry.at, entry.by, entry.action, entry.target, entry.detail::text as detail,
       encode(entry.hash, 'hex') as hash, encode(entry.mark, 'hex') as mark,
       coalesce(encode(previous.hash, 'hex'), $2) as before
     from audit_entry as entry left join audit_entry as previous on previous.seq = entry.seq - 1
     where entry.action = 'audit.begun' and entry.target = $1 order by entry.seq`,
    [keys.id, genesis],
  );
  // The mark covers the hash, and the hash the detail: who owns the database may have changed the detail alone.
  const isOurs = (row: BegunRow): boolean =>
    keys.isMarked(row.hash, row.mark) && entryHash(row.before, { ...row, at: Number(row.at) }) === row.hash;
  const found = rows.find(isOurs);
  if (found === undefined) return undefined;
  const detail = JSON.parse(found.detail) as MarksBegun;
  return { ...detail, ...placeOf(found.seq, Number(found.at), detail), entryHash: found.hash };
}

/** What `audit.begun` at position `entry` says. */
export const placeOf = (
  entry: number,
  at: number,
  { seals, runs }: Pick<MarksBegun, 'seals' | 'runs'>,
): MarksPlace => ({
  entry,
  at,
  records: entry - 1 + seals + runs,
});

/** The id of the key whose marks began last, from an entry that is not verified. Rejects with `UnavailableError`. */
export async function newestMarksKey(client: Pick<Pool, 'query'>): Promise<string | undefined> {
  const text = `select target as key from audit_entry where action = 'audit.begun' order by seq desc limit 1`;
  return (await queryRows<{ key: string }>(client, text))[0]?.key;
}
