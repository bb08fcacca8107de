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
  /** An HMAC of what the cookie holds, under a key that is not in the database. */
  readonly digest: Uint8Array;
  readonly now: number;
}

/** With what a browser logs in: a key, or a code that was made with one. */
export interface LoginCredential {
  readonly keyId: string;
  readonly codeDigest?: Uint8Array;
}

/**
 * The session, or undefined where the code was used before, has expired or never was. `nameOf` says how the audit writes
 * the key. Sessions that have expired are removed on the way.
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

/** Of two that come with one code, one finds it. */
async function takeCode(
  transaction: Pick<Database['prisma'], 'loginCode'>,
  keyId: string,
  digest: Uint8Array,
): Promise<boolean> {
  const { count } = await transaction.loginCode.deleteMany({ where: { digest: new Uint8Array(digest), keyId } });
  return count > 0;
}

/** `by`: how the audit writes the key. */
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

/** Also one that has expired: the caller decides what that means. */
export async function findLoginSession({ prisma }: Database, digest: Uint8Array): Promise<LoginSession | undefined> {
  const row = await prisma.loginSession.findUnique({ where: { digest: new Uint8Array(digest) } });
  return row === null ? undefined : sessionOf(row);
}

/** One that is over stays over. */
export async function renewLoginSession({ prisma }: Database, id: string, expiresAt: number): Promise<void> {
  await prisma.loginSession.updateMany({ where: { id }, data: { expiresAt: new Date(expiresAt) } });
}

/** False where there is none. */
export async function endLoginSession({ prisma, auditKeys, now }: Database, id: string, by: string): Promise<boolean> {
  if (!isStorable(id)) return false;
  return prisma.$transaction(async (transaction) => {
    const { count } = await transaction.loginSession.deleteMany({ where: { id } });
    if (count > 0) await noteAction(transaction, { auditKeys, now }, { by, action: 'session.ended', target: id });
    return count > 0;
  });
}

/** Newest first, those that go on at `now`. */
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
