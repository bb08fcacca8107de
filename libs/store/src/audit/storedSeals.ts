/** Reads seals as they are stored. */
import type { Pool } from 'pg';

import { queryRows } from '../database/queryRows.ts';
import type { Seal } from './record.ts';

interface SealRow extends Omit<Seal, 'at' | 'begun'> {
  readonly at: string;
  readonly begunEntry: number | null;
  readonly begunAt: string | null;
  readonly begunRecords: number | null;
}

const columns = `number, at, runs, encode(root, 'hex') as root, entries, encode(entry_hash, 'hex') as "entryHash",
  encode(hash, 'hex') as hash, key, encode(signature, 'hex') as signature,
  begun_entry as "begunEntry", begun_at as "begunAt", begun_records as "begunRecords"`;

const sealOf = ({ at, key, signature, begunEntry: entry, begunAt, begunRecords: records, ...row }: SealRow): Seal => ({
  ...row,
  at: Number(at),
  ...(signature === null ? {} : { key, signature }),
  ...(entry === null || begunAt === null || records === null ? {} : { begun: { entry, at: Number(begunAt), records } }),
});

/** Those after the number `after`, up to `until`. Rejects with `UnavailableError`. */
export async function readSeals(
  client: Pick<Pool, 'query'>,
  { after, until }: { readonly after: number; readonly until: number },
): Promise<readonly Seal[]> {
  const text = `select ${columns} from seal where number > $1 and number <= $2 order by number`;
  return (await queryRows<SealRow>(client, text, [after, until])).map(sealOf);
}

/** The last one and the one before it. Rejects with `UnavailableError`. */
export async function newestSeals(client: Pick<Pool, 'query'>): Promise<readonly Seal[]> {
  return (await queryRows<SealRow>(client, `select ${columns} from seal order by number desc limit 2`)).map(sealOf);
}
