/**
 * Stores the secrets of workflows and servers by name. Only `revealSecrets` returns values, to a process that is about to
 * use them.
 */
import { InvariantError } from '@baton/engine';
import type { JsonObject } from '@baton/primitives';
import type { RevealedSecret, SecretList, SecretPage, SecretSummary } from '@baton/runner';

import { noteAction } from '../audit/entries.ts';
import type { Database } from '../database/database.ts';
import { type MayReplace, checkReplacing } from '../database/replacing.ts';
import { checkStorable, isStorable } from '../journal/storableText.ts';
import { isReserved, reservedPrefix } from './reserved.ts';
import { type SecretRow, bindingOf, boxOf, columnOf, labelOf, openedRow } from './secretRow.ts';
import type { Vault } from './vault.ts';

export interface NewSecret {
  readonly name: string;
  /** Absent: the current value stays. */
  readonly value?: string | undefined;
  /** Its bindings. Absent: unchanged; null: none. */
  readonly workflows?: readonly string[] | null | undefined;
  readonly servers?: readonly string[] | null | undefined;
  readonly by: string;
  readonly mayReplace?: MayReplace | undefined;
}

/**
 * Stores the next version, and keeps the previous value. Undefined if `value` is absent and there is no current one.
 * Rejects with `ReplacedError` if `mayReplace` refuses.
 */
export async function putSecret(
  { prisma, auditKeys, now }: Database,
  vault: Vault,
  { name, value, by, mayReplace, ...wanted }: NewSecret,
): Promise<SecretSummary | undefined> {
  checkStorable('name of the secret', name, by);
  if (isReserved(name)) throw new InvariantError('the name is reserved for values of Baton itself');
  return prisma.$transaction(async (transaction) => {
    const newest = await newestHeld(transaction, name);
    checkReplacing(name, newest?.version, mayReplace);
    const text = value ?? (newest === null ? undefined : openedRow(vault, newest));
    if (text === undefined) return undefined;
    const version = (newest?.version ?? 0) + 1;
    const bound = {
      workflows: columnFor(wanted.workflows, newest?.workflows),
      servers: columnFor(wanted.servers, newest?.servers),
    };
    const { sealed, wrapped, keyId } = vault.seal(text, labelOf({ name, version, ...bound }));
    const box = { sealed: new Uint8Array(sealed), wrapped: new Uint8Array(wrapped), keyId };
    const data = { version, ...box, ...bound, createdBy: by };
    // Without a new value the row is updated, so that the previous value stays: senders may still sign with it.
    const row =
      value === undefined && newest !== null
        ? await transaction.secret.update({ where: { name_version: { name, version: newest.version } }, data })
        : await transaction.secret.create({ data: { name, ...data } });
    if (value !== undefined)
      await transaction.secret.deleteMany({ where: { name, version: { lt: newest?.version ?? 0 } } });
    const detail = { version, ...bindingOf(row) } as JsonObject;
    await noteAction(transaction, { auditKeys, now }, { by, action: 'secret.set', target: name, detail });
    return summaryOf(row);
  });
}

const columnFor = (wanted: readonly string[] | null | undefined, before: readonly string[] | undefined): string[] =>
  wanted === undefined && before !== undefined ? [...before] : columnOf(wanted ?? undefined);

/** Concurrent changes of the same name wait for this transaction. */
async function newestHeld(transaction: Pick<Database['prisma'], '$executeRaw' | 'secret'>, name: string) {
  await transaction.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${name}, 7001))`;
  return transaction.secret.findFirst({ where: { name }, orderBy: { version: 'desc' } });
}

export async function getSecret({ prisma }: Database, name: string): Promise<SecretSummary | undefined> {
  if (!isNameable(name)) return undefined;
  const row = await prisma.secret.findFirst({ where: { name }, orderBy: { version: 'desc' } });
  return row === null ? undefined : summaryOf(row);
}

export async function listSecrets(
  { prisma }: Database,
  { limit, after = '' }: Partial<SecretPage> = {},
): Promise<SecretList> {
  if (!isStorable(after)) return { secrets: [] };
  const rows = await prisma.secret.findMany({
    where: { name: { gt: after }, NOT: { name: { startsWith: reservedPrefix } } },
    orderBy: [{ name: 'asc' }, { version: 'desc' }],
    distinct: ['name'],
    ...(limit === undefined ? {} : { take: limit + 1 }),
  });
  const secrets = rows.slice(0, limit).map(summaryOf);
  const next = rows.length > secrets.length ? secrets.at(-1)?.name : undefined;
  return next === undefined ? { secrets } : { secrets, next };
}

/** False where there is no such secret. Rejects with `ReplacedError` if `mayReplace` refuses. */
export async function deleteSecret(
  { prisma, auditKeys, now }: Database,
  name: string,
  by: string,
  mayReplace?: MayReplace,
): Promise<boolean> {
  if (!isNameable(name)) return false;
  return prisma.$transaction(async (transaction) => {
    const newest = await newestHeld(transaction, name);
    if (newest === null) return false;
    checkReplacing(name, newest.version, mayReplace);
    await transaction.secret.deleteMany({ where: { name } });
    await noteAction(transaction, { auditKeys, now }, { by, action: 'secret.deleted', target: name });
    return true;
  });
}

const overlapMs = 24 * 3_600_000;

/** By name; leaves out missing secrets, and secrets that are encrypted with another key. */
export async function revealSecrets(
  { prisma, now }: Database,
  vault: Vault,
  names: readonly string[],
): Promise<ReadonlyMap<string, RevealedSecret>> {
  const rows = await prisma.secret.findMany({
    where: { name: { in: names.filter(isNameable) } },
    orderBy: [{ name: 'asc' }, { version: 'desc' }],
  });
  const revealed = new Map<string, RevealedSecret>();
  for (const [name, [newest, older]] of Map.groupBy(rows, (row) => row.name)) {
    const value = newest && openedRow(vault, newest);
    if (newest === undefined || value === undefined) continue;
    const isFresh = now() - newest.createdAt.getTime() < overlapMs;
    const before = older !== undefined && isFresh ? openedRow(vault, older) : undefined;
    revealed.set(name, { value, ...(before === undefined ? {} : { before }), ...bindingOf(newest) });
  }
  return revealed;
}

/** Encrypts the keys of all secrets with the vault's current key. `lost`: secrets that none of its keys could open. */
export async function rewrapSecrets({ prisma }: Database, vault: Vault): Promise<{ moved: number; lost: number }> {
  const rows = await prisma.secret.findMany({ where: { keyId: { not: vault.keyId } } });
  let moved = 0;
  for (const row of rows) {
    const { name, version, keyId: before } = row;
    const next = vault.rewrap(boxOf(row), labelOf(row));
    if (next === undefined) continue;
    const data = { wrapped: new Uint8Array(next.wrapped), keyId: next.keyId };
    const { count } = await prisma.secret.updateMany({ where: { name, version, keyId: before }, data });
    moved += count;
  }
  return { moved, lost: rows.length - moved };
}

const isNameable = (name: string): boolean => isStorable(name) && !isReserved(name);

const summaryOf = (row: SecretRow): SecretSummary => ({
  name: row.name,
  version: row.version,
  ...bindingOf(row),
  setBy: row.createdBy,
  setAt: row.createdAt.getTime(),
});
