/** Stores API keys. The caller makes keys and compares their secrets. */
import type { Effect } from '@baton/language';
import { defined } from '@baton/primitives';

import { noteAction } from '../audit/entries.ts';
import type { Database } from '../database/database.ts';
import { checkStorable, isStorable } from '../journal/storableText.ts';
import { endClientsOf } from './connectedClients.ts';
import { fingerprintOf } from './fingerprint.ts';

/** The limits of a key; absent: the limits of the installation's settings. */
export interface KeyLimits {
  /** Unfinished runs. */
  readonly runs?: number;
  /** Items of all `forEach` steps of one of its runs. */
  readonly items?: number;
  /** Checks of workflows per minute. */
  readonly checks?: number;
}

/** Another key that is neither revoked nor expired has the name. */
export class KeyNameTakenError extends Error {
  override readonly name = 'KeyNameTakenError';
}

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the secret part. */
  readonly secretHash: Uint8Array;
  readonly scopes: readonly string[];
  /** The only workflows that it may see and start; empty: all. */
  readonly workflows: readonly string[];
  /** The strongest effect of calls that it may start; undefined: any. */
  readonly effects: Effect | undefined;
  /** `write`: a person approves each write that it makes at the gateway. */
  readonly approve: 'write' | undefined;
  readonly limits: KeyLimits;
  /** The id of the person whose key it is; undefined: a service's. */
  readonly person: string | undefined;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly revokedAt: number | undefined;
  readonly lastUsedAt: number | undefined;
}

export type NewApiKey = Pick<ApiKey, 'id' | 'name' | 'secretHash' | 'scopes' | 'createdBy'> &
  Partial<Pick<ApiKey, 'workflows' | 'effects' | 'approve' | 'limits' | 'person' | 'expiresAt'>>;

/**
 * Stores the key unless its id exists; true where it was stored. Rejects with `KeyNameTakenError` if `isNameUnique` and
 * another valid key has the name.
 */
export async function putApiKey(
  { prisma, auditKeys, now }: Database,
  key: NewApiKey,
  { isNameUnique = false }: { readonly isNameUnique?: boolean } = {},
): Promise<boolean> {
  const { id, name, scopes, createdBy, expiresAt, workflows = [], effects, approve, limits: quotas, person } = key;
  checkStorable('key', id, name, createdBy, ...scopes, ...workflows);
  const data = {
    id,
    name,
    secretHash: new Uint8Array(key.secretHash),
    scopes: [...scopes],
    workflows: [...workflows],
    effects: effects ?? null,
    approve: approve ?? null,
    ...(quotas && { limits: { ...quotas } }),
    person: person ?? null,
    createdBy,
    expiresAt: expiresAt === undefined ? null : new Date(expiresAt),
  };
  return prisma.$transaction(async (transaction) => {
    if (isNameUnique) await takeName(transaction, name, now());
    const { count } = await transaction.apiKey.createMany({ data: [data], skipDuplicates: true });
    if (count === 0) return false;
    const limits = {
      ...(workflows.length === 0 ? {} : { workflows: [...workflows] }),
      ...(effects && { effects }),
      ...(approve && { approve }),
      ...(quotas && { limits: { ...quotas } }),
      ...defined({ person }),
    };
    const expiry = expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() };
    const detail = { name, scopes: [...scopes], ...limits, ...expiry, fingerprint: fingerprintOf(key.secretHash) };
    await noteAction(transaction, { auditKeys, now }, { by: createdBy, action: 'key.created', target: id, detail });
    return true;
  });
}

/** Locks the name until the transaction ends. Throws `KeyNameTakenError`. */
async function takeName(
  transaction: Pick<Database['prisma'], '$executeRaw' | 'apiKey'>,
  name: string,
  nowMs: number,
): Promise<void> {
  await transaction.$executeRaw`select pg_advisory_xact_lock(hashtextextended('key ' || ${name}, 0))`;
  const isGood = { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: new Date(nowMs) } }] };
  const holder = await transaction.apiKey.findFirst({ where: { name, ...isGood } });
  if (holder !== null) throw new KeyNameTakenError(`the key ${holder.id} has the name`);
}

/** Includes revoked and expired keys: the caller decides what that means. */
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

/** False where there is no such key, or it is revoked already. */
export async function revokeApiKey({ prisma, auditKeys, now }: Database, id: string, by: string): Promise<boolean> {
  if (!isStorable(id)) return false;
  return prisma.$transaction(async (transaction) => {
    const where = { id, revokedAt: null };
    const { count } = await transaction.apiKey.updateMany({ where, data: { revokedAt: new Date(now()) } });
    if (count > 0) {
      // Ends the sessions that logged in with this key, and the clients that it connected.
      await transaction.loginSession.deleteMany({ where: { keyId: id } });
      await transaction.loginCode.deleteMany({ where: { keyId: id } });
      await endClientsOf(transaction, [id]);
      await noteAction(transaction, { auditKeys, now }, { by, action: 'key.revoked', target: id });
    }
    return count > 0;
  });
}

/** Notes the last use of several keys at once; callers collect uses for a while. */
export async function noteApiKeyUse({ prisma }: Database, ids: readonly string[], atMs: number): Promise<void> {
  await prisma.apiKey.updateMany({ where: { id: { in: [...ids] } }, data: { lastUsedAt: new Date(atMs) } });
}

/** A row of `api_key`. */
export interface ApiKeyRow {
  readonly id: string;
  readonly name: string;
  readonly secretHash: Uint8Array;
  readonly scopes: readonly string[];
  readonly workflows: readonly string[];
  readonly effects: string | null;
  readonly approve: string | null;
  readonly limits: unknown;
  readonly person: string | null;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
}

const keyOf = (row: ApiKeyRow): ApiKey => ({
  ...row,
  effects: (row.effects ?? undefined) as Effect | undefined,
  approve: row.approve === 'write' ? 'write' : undefined,
  limits: row.limits ?? {},
  person: row.person ?? undefined,
  createdAt: row.createdAt.getTime(),
  expiresAt: row.expiresAt?.getTime(),
  revokedAt: row.revokedAt?.getTime(),
  lastUsedAt: row.lastUsedAt?.getTime(),
});
