/** API keys. What a key is made of and how it is compared is for who asks; here is what is kept of it. */
import type { Database } from './openStore.ts';
import { checkStorable, isStorable } from './storableText.ts';

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the secret part. */
  readonly secretHash: Uint8Array;
  readonly scopes: readonly string[];
  readonly createdBy: string;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly revokedAt: number | undefined;
  readonly lastUsedAt: number | undefined;
}

type NewApiKey = Pick<ApiKey, 'id' | 'name' | 'secretHash' | 'scopes' | 'createdBy'> & { readonly expiresAt?: number };

/** An id that is there already is left alone. True where the key was made. */
export async function putApiKey({ prisma }: Database, key: NewApiKey): Promise<boolean> {
  const { id, name, scopes, createdBy, expiresAt } = key;
  checkStorable('key', id, name, createdBy, ...scopes);
  const secretHash = new Uint8Array(key.secretHash);
  const expiry = expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt) };
  const { count } = await prisma.apiKey.createMany({
    data: [{ id, name, secretHash, scopes: [...scopes], createdBy, ...expiry }],
    skipDuplicates: true,
  });
  return count > 0;
}

/** Also those that are revoked or have expired: who asks decides, and says which. */
export async function getApiKey({ prisma }: Database, id: string): Promise<ApiKey | undefined> {
  if (!isStorable(id)) return undefined;
  const row = await prisma.apiKey.findUnique({ where: { id } });
  return row === null ? undefined : keyOf(row);
}

/** Oldest first. */
export async function listApiKeys({ prisma }: Database): Promise<readonly ApiKey[]> {
  const rows = await prisma.apiKey.findMany({ orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
  return rows.map(keyOf);
}

/** False where there is no such key, or it was revoked before. */
export async function revokeApiKey({ prisma }: Database, id: string): Promise<boolean> {
  if (!isStorable(id)) return false;
  const { count } = await prisma.apiKey.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: new Date() } });
  return count > 0;
}

/** Of several keys at once, for who keeps the instants for a while. */
export async function noteApiKeyUse({ prisma }: Database, ids: readonly string[], atMs: number): Promise<void> {
  await prisma.apiKey.updateMany({ where: { id: { in: [...ids] } }, data: { lastUsedAt: new Date(atMs) } });
}

interface Row {
  readonly id: string;
  readonly name: string;
  readonly secretHash: Uint8Array;
  readonly scopes: readonly string[];
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
}

const keyOf = (row: Row): ApiKey => ({
  ...row,
  createdAt: row.createdAt.getTime(),
  expiresAt: row.expiresAt?.getTime(),
  revokedAt: row.revokedAt?.getTime(),
  lastUsedAt: row.lastUsedAt?.getTime(),
});
