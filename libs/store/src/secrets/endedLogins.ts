/**
 * Logins at servers whose person was removed. They are kept until their tokens are revoked at the server, so that no end of
 * a process between the two forgets one.
 */
import { noteAction } from '../audit/entries.ts';
import type { Database } from '../database/database.ts';
import { namePartMark, reservedPrefix } from './reserved.ts';
import { openedRow } from './secretRow.ts';
import type { Vault } from './vault.ts';

export interface EndedLogin {
  /** Names it in storage. */
  readonly name: string;
  readonly server: string;
  /** The id of the person. */
  readonly person: string;
  /** Who removed the person, as the audit names them. */
  readonly by: string;
  /** Epoch milliseconds. */
  readonly endedAt: number;
  /** What was stored of the login; undefined: it cannot be opened. */
  readonly text: string | undefined;
}

/** At most so many are read at once. */
const readMax = 100;

/** Those that ended first come first. Rejects with `UnavailableError`. */
export async function endedLogins({ prisma }: Database, vault: Vault): Promise<readonly EndedLogin[]> {
  const rows = await prisma.secret.findMany({
    // After the login, its name has the person.
    where: { name: { startsWith: reservedPrefix, contains: `${namePartMark}person-` } },
    orderBy: { createdAt: 'asc' },
    take: readMax,
  });
  return rows.map((row) => {
    const [server = '', _login, person = ''] = row.name.slice(reservedPrefix.length).split(namePartMark);
    const { name, createdBy: by, createdAt } = row;
    return { name, server, person, by, endedAt: createdAt.getTime(), text: openedRow(vault, row) };
  });
}

/**
 * Forgets an ended login. `problem`: why its tokens may still be good, for the audit. False: another process has done it.
 * Rejects with `UnavailableError`.
 */
export function forgetEndedLogin(
  { prisma, auditKeys, now }: Database,
  { name, server, person, by }: EndedLogin,
  problem: string | undefined,
): Promise<boolean> {
  return prisma.$transaction(async (transaction) => {
    const { count } = await transaction.secret.deleteMany({ where: { name } });
    if (count === 0) return false;
    if (problem !== undefined) {
      const detail = { person, problem };
      await noteAction(transaction, { auditKeys, now }, { by, action: 'server.unrevoked', target: server, detail });
    }
    return true;
  });
}
