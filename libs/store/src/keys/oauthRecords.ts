/**
 * What the authorization server remembers. The caller makes the digests and seals what a record says: neither a code nor
 * a token is here, and a row that was changed is none.
 */
import type { Database } from '../database/database.ts';

export interface StoredOAuthRecord {
  readonly sealed: string;
  readonly consumedAt: number | undefined;
}

export interface NewStoredOAuthRecord {
  readonly digest: Uint8Array;
  readonly kind: string;
  readonly grantId: string | undefined;
  readonly sealed: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number | undefined;
}

/** Replaces the record with the digest. */
export async function putOAuthRecord({ prisma }: Database, record: NewStoredOAuthRecord): Promise<void> {
  const { kind, sealed, grantId = null, expiresAt } = record;
  const digest = new Uint8Array(record.digest);
  const data = { kind, sealed, grantId, expiresAt: expiresAt === undefined ? null : new Date(expiresAt) };
  await prisma.oAuthRecord.upsert({ where: { digest }, create: { digest, ...data }, update: data });
}

/** Without records that have expired. */
export async function findOAuthRecord(
  { prisma, now }: Database,
  digest: Uint8Array,
): Promise<StoredOAuthRecord | undefined> {
  const row = await prisma.oAuthRecord.findUnique({ where: { digest: new Uint8Array(digest) } });
  if (row === null || (row.expiresAt !== null && row.expiresAt.getTime() <= now())) return undefined;
  return { sealed: row.sealed, consumedAt: row.consumedAt?.getTime() };
}

/** False where it was used up before: of several callers at the same time one gets true. */
export async function consumeOAuthRecord({ prisma, now }: Database, digest: Uint8Array): Promise<boolean> {
  const where = { digest: new Uint8Array(digest), consumedAt: null };
  const { count } = await prisma.oAuthRecord.updateMany({ where, data: { consumedAt: new Date(now()) } });
  return count > 0;
}

export async function removeOAuthRecord({ prisma }: Database, digest: Uint8Array): Promise<void> {
  await prisma.oAuthRecord.deleteMany({ where: { digest: new Uint8Array(digest) } });
}

/** Moves the end of a record, such as that of a client that is in use. */
export async function renewOAuthRecord({ prisma }: Database, digest: Uint8Array, expiresAt: number): Promise<void> {
  const where = { digest: new Uint8Array(digest) };
  await prisma.oAuthRecord.updateMany({ where, data: { expiresAt: new Date(expiresAt) } });
}

/** Clients that registered themselves. */
const registered = { kind: 'Client' } as const;

export const countRegisteredClients = ({ prisma }: Database): Promise<number> =>
  prisma.oAuthRecord.count({ where: registered });

/** Removes the registration that ends first, if it ends before `endsBefore`. False where there is none. */
export async function removeUnusedRegistration({ prisma }: Database, endsBefore: number): Promise<boolean> {
  const oldest = await prisma.oAuthRecord.findFirst({
    where: { ...registered, expiresAt: { lt: new Date(endsBefore) } },
    orderBy: { expiresAt: 'asc' },
    select: { digest: true },
  });
  if (oldest === null) return false;
  await prisma.oAuthRecord.deleteMany({ where: { digest: oldest.digest } });
  return true;
}
