/**
 * Sessions of browsers that logged in with a key. The caller makes the content of the cookie; only its digest is
 * stored.
 */
import { noteAction } from '../audit/entries.ts';
import type { Database } from '../database/database.ts';
import { isStorable } from '../journal/storableText.ts';

export interface LoginSession {
  readonly id: string;
  readonly keyId: string;
  readonly createdAt: number;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

export interface NewLoginSession extends Pick<LoginSession, 'id' | 'expiresAt'> {
  /** An HMAC of the cookie's content, under a key that is not in the database. */
  readonly digest: Uint8Array;
  readonly now: number;
}

/** The credential with which a browser logs in: a key, or a code that was made with a key. */
export interface LoginCredential {
  readonly keyId: string;
  readonly codeDigest?: Uint8Array;
}

/**
 * Begins a session; undefined where the code was used before, has expired or is unknown. `nameOf` returns the name under
 * which the audit records the key. Removes expired sessions and codes, too.
 */
export async function beginLoginSession(
  database: Database,
  credential: LoginCredential,
  { id, digest, now, expiresAt }: NewLoginSession,
  nameOf: (keyId: string) => Promise<string>,
): Promise<LoginSession | undefined> {
  return database.prisma.$transaction(async (transaction) => {
    const isOver = { expiresAt: { lte: new Date(now) } };
    await transaction.loginSession.deleteMany({ where: isOver });
    await transaction.loginCode.deleteMany({ where: isOver });
    const { keyId, codeDigest } = credential;
    if (codeDigest !== undefined && !(await takeCode(transaction, keyId, codeDigest))) return undefined;
    const row = { id, digest: new Uint8Array(digest), keyId, createdAt: new Date(now), expiresAt: new Date(expiresAt) };
    await transaction.loginSession.create({ data: row });
    const detail = { with: codeDigest === undefined ? 'key' : 'code' };
    await noteAction(transaction, database, { by: await nameOf(keyId), action: 'session.begun', target: id, detail });
    return { id, keyId, createdAt: now, expiresAt };
  });
}

/** Uses up the code. Of two concurrent requests with one code, one gets true. */
async function takeCode(
  transaction: Pick<Database['prisma'], 'loginCode'>,
  keyId: string,
  digest: Uint8Array,
): Promise<boolean> {
  const { count } = await transaction.loginCode.deleteMany({ where: { digest: new Uint8Array(digest), keyId } });
  return count > 0;
}

/** Stores a code. `by`: the name under which the audit records the key. */
export async function putLoginCode(
  { prisma, auditKeys, now }: Database,
  code: { readonly digest: Uint8Array; readonly keyId: string; readonly expiresAt: number },
  by: string,
): Promise<void> {
  const { keyId, expiresAt } = code;
  await prisma.$transaction(async (transaction) => {
    await transaction.loginCode.create({
      data: { digest: new Uint8Array(code.digest), keyId, expiresAt: new Date(expiresAt) },
    });
    const detail = { expiresAt: new Date(expiresAt).toISOString() };
    await noteAction(transaction, { auditKeys, now }, { by, action: 'session.code-created', target: keyId, detail });
  });
}

/** Returns expired sessions, too: the caller decides what that means. */
export async function findLoginSession({ prisma }: Database, digest: Uint8Array): Promise<LoginSession | undefined> {
  const row = await prisma.loginSession.findUnique({ where: { digest: new Uint8Array(digest) } });
  return row === null ? undefined : sessionOf(row);
}

/** Extends a session; does nothing if it has ended. */
export async function renewLoginSession({ prisma }: Database, id: string, expiresAt: number): Promise<void> {
  await prisma.loginSession.updateMany({ where: { id }, data: { expiresAt: new Date(expiresAt) } });
}

/** False where there is no such session. */
export async function endLoginSession({ prisma, auditKeys, now }: Database, id: string, by: string): Promise<boolean> {
  if (!isStorable(id)) return false;
  return prisma.$transaction(async (transaction) => {
    const { count } = await transaction.loginSession.deleteMany({ where: { id } });
    if (count > 0) await noteAction(transaction, { auditKeys, now }, { by, action: 'session.ended', target: id });
    return count > 0;
  });
}

/** Newest first; only sessions that have not expired at `now`. */
export async function listLoginSessions(
  { prisma }: Database,
  now: number,
): Promise<readonly (LoginSession & { readonly keyName: string })[]> {
  const rows = await prisma.loginSession.findMany({
    where: { expiresAt: { gt: new Date(now) } },
    orderBy: [{ createdAt: 'desc' }, { id: 'asc' }],
  });
  const ids = [...new Set(rows.map(({ keyId }) => keyId))];
  const keys = await prisma.apiKey.findMany({ where: { id: { in: ids } }, select: { id: true, name: true } });
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  return rows.map((row) => ({ ...sessionOf(row), keyName: names.get(row.keyId) ?? '' }));
}

interface LoginSessionRow {
  readonly id: string;
  readonly keyId: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

const sessionOf = ({ id, keyId, createdAt, expiresAt }: LoginSessionRow): LoginSession => ({
  id,
  keyId,
  createdAt: createdAt.getTime(),
  expiresAt: expiresAt.getTime(),
});
