/**
 * Sessions of browsers that logged in with a key. The caller makes the content of the cookie; only its digest is
 * stored.
 *
 * A session may make codes, with which further sessions begin. Each of these keeps all that it descends from, so that it
 * ends with any of them, also where one between them has expired.
 */
import { defined } from '@baton/primitives';

import { noteAction } from '../audit/entries.ts';
import { takeLock } from '../database/advisoryLocks.ts';
import type { Database } from '../database/database.ts';
import { Prisma } from '../generated/client.ts';
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

/** The credential with which a browser logs in: a key, a code that was made with a key, or the word of a provider. */
export interface LoginCredential {
  readonly keyId: string;
  readonly codeDigest?: Uint8Array;
  /** The issuer that vouches for the person. */
  readonly issuer?: string;
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
  const { keyId, codeDigest, issuer } = credential;
  return database.prisma.$transaction(async (transaction) => {
    if (codeDigest !== undefined) await lockInheriting(transaction);
    const isOver = { expiresAt: { lte: new Date(now) } };
    await transaction.loginSession.deleteMany({ where: isOver });
    await transaction.loginCode.deleteMany({ where: isOver });
    const makers = codeDigest === undefined ? [] : await takeCode(transaction, keyId, codeDigest);
    if (makers === undefined) return undefined;
    const times = { createdAt: new Date(now), expiresAt: new Date(expiresAt) };
    await transaction.loginSession.create({ data: { id, digest: new Uint8Array(digest), keyId, makers, ...times } });
    const maker = makers.at(-1);
    const means = codeDigest === undefined ? 'key' : 'code';
    const detail = { with: issuer === undefined ? means : 'provider', ...defined({ maker, issuer }) };
    await noteAction(transaction, database, { by: await nameOf(keyId), action: 'session.begun', target: id, detail });
    return { id, keyId, createdAt: now, expiresAt };
  });
}

type SessionTransaction = Pick<Database['prisma'], 'loginCode' | 'loginSession' | '$executeRaw'>;

/**
 * While a session ends, none begins with a code that it made, and it makes none. Until the end of the transaction, and
 * before it locks a row.
 */
const lockInheriting = (transaction: SessionTransaction): Promise<unknown> =>
  transaction.$executeRaw(Prisma.raw(takeLock('inheritingSessions')));

/**
 * Uses up the code, and returns the sessions that it descends from; undefined where there is none. Of two concurrent
 * requests with one code, one gets it.
 */
async function takeCode(
  transaction: SessionTransaction,
  keyId: string,
  digest: Uint8Array,
): Promise<string[] | undefined> {
  const where = { digest: new Uint8Array(digest), keyId };
  const code = await transaction.loginCode.findUnique({ where });
  if (code !== null) await transaction.loginCode.delete({ where });
  return code?.makers;
}

interface NewLoginCode {
  readonly digest: Uint8Array;
  readonly keyId: string;
  readonly expiresAt: number;
  /** The session that makes it; undefined: it is made with the key itself. */
  readonly maker: string | undefined;
}

/** A longer line of sessions, each made by the one before, would cost ever more to keep. */
export const sessionLineMax = 32;

/**
 * Stores a code. `by`: the name under which the audit records the key. `ended`: the session that makes it is not there
 * any more; `too-long`: it descends from too many.
 */
export async function putLoginCode(
  { prisma, auditKeys, now }: Database,
  { digest, keyId, expiresAt, maker }: NewLoginCode,
  by: string,
): Promise<'stored' | 'ended' | 'too-long'> {
  return prisma.$transaction(async (transaction) => {
    const makers = maker === undefined ? [] : await lineOf(transaction, maker);
    if (makers === undefined) return 'ended';
    if (makers.length >= sessionLineMax) return 'too-long';
    await transaction.loginCode.create({
      data: { digest: new Uint8Array(digest), keyId, makers, expiresAt: new Date(expiresAt) },
    });
    const detail = {
      expiresAt: new Date(expiresAt).toISOString(),
      ...defined({ maker }),
    };
    await noteAction(transaction, { auditKeys, now }, { by, action: 'session.code-created', target: keyId, detail });
    return 'stored';
  });
}

/** The sessions that a session descends from, and itself; undefined if it has ended. */
async function lineOf(transaction: SessionTransaction, id: string): Promise<string[] | undefined> {
  await lockInheriting(transaction);
  const session = await transaction.loginSession.findUnique({ where: { id }, select: { makers: true } });
  return session === null ? undefined : [...session.makers, id];
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

/** Ends the session and those that descend from it. Returns their ids; none where there is no such session. */
export async function endLoginSession(
  { prisma, auditKeys, now }: Database,
  id: string,
  by: string,
): Promise<readonly string[]> {
  if (!isStorable(id)) return [];
  return prisma.$transaction(async (transaction) => {
    await lockInheriting(transaction);
    if ((await transaction.loginSession.deleteMany({ where: { id } })).count === 0) return [];
    const descends = { where: { makers: { has: id } } };
    await transaction.loginCode.deleteMany(descends);
    const made = await transaction.loginSession.findMany({ ...descends, orderBy: { createdAt: 'asc' } });
    await transaction.loginSession.deleteMany(descends);
    const ended = [id, ...made.map((session) => session.id)];
    for (const target of ended) {
      const detail = target === id ? {} : { endedWith: id };
      await noteAction(transaction, { auditKeys, now }, { by, action: 'session.ended', target, detail });
    }
    return ended;
  });
}

/** Newest first; only sessions that have not expired at `now`. */
export async function listLoginSessions(
  { prisma }: Database,
  now: number,
): Promise<readonly (LoginSession & SessionHolder)[]> {
  const rows = await prisma.loginSession.findMany({
    where: { expiresAt: { gt: new Date(now) } },
    orderBy: [{ createdAt: 'desc' }, { id: 'asc' }],
  });
  const ids = [...new Set(rows.map(({ keyId }) => keyId))];
  const keys = await prisma.apiKey.findMany({ where: { id: { in: ids } }, select: { id: true, name: true } });
  const people = await prisma.person.findMany({ where: { id: { in: ids } }, select: { id: true, name: true } });
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  const peoplesNames = new Map(people.map(({ id, name }) => [id, name]));
  return rows.map((row) => {
    const person = peoplesNames.get(row.keyId);
    const isPersons = person !== undefined;
    return { ...sessionOf(row), name: person ?? names.get(row.keyId) ?? '', isPersons };
  });
}

interface SessionHolder {
  /** Of the key, or of the person. */
  readonly name: string;
  readonly isPersons: boolean;
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
