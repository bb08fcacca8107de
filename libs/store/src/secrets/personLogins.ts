/** The logins of people at servers, which are stored like secrets and end with their person. */
import { randomBytes } from 'node:crypto';

import { loginOf, writtenAccount } from '@baton/protocol';

import type { Database } from '../database/database.ts';
import { namePartMark, reservedPrefix } from './reserved.ts';

interface NamedPerson {
  readonly id: string;
  /** Who vouches for them, and their name there; none for a person who was made by hand. */
  readonly issuer?: string | null;
  readonly subject?: string | null;
}

/** How journals and the audit name a person: the subject at the issuer, or the id of one who was made by hand. */
export const writtenId = ({ id, issuer, subject }: NamedPerson): string =>
  typeof issuer === 'string' && typeof subject === 'string' ? writtenAccount(issuer, subject) : id;

type Transaction = Pick<Database['prisma'], 'secret' | 'person' | '$executeRaw'>;

/** `login`: absent for that of the installation. */
export const authorizationName = (server: string, login: string | undefined): string =>
  `${reservedPrefix}${server}${login === undefined ? '' : `${namePartMark}${login}`}`;

/** What is saved for a login, and the end of its person, come one after the other. */
export const lockLogin = (transaction: Transaction, login: string): Promise<unknown> =>
  transaction.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${login}, 7002))`;

/**
 * All logins of the person are over. What is stored of them goes under names that no process reads as a login, with who
 * ended them and when, until the tokens are revoked (`endedLogins`).
 */
export async function endLoginsOf(
  transaction: Transaction,
  person: NamedPerson,
  { by, at }: { readonly by: string; readonly at: Date },
): Promise<void> {
  const login = loginOf(writtenId(person));
  await lockLogin(transaction, login);
  const ending = [reservedPrefix, namePartMark + login] as const;
  const ended = [person.id, randomBytes(6).toString('hex')].map((part) => namePartMark + part).join('');
  await transaction.$executeRaw`
    update secret set name = name || ${ended}, created_by = ${by}, created_at = ${at}
    where starts_with(name, ${ending[0]}) and right(name, ${ending[1].length}) = ${ending[1]}`;
}

/**
 * Whether no call may use the login, and why: its person was removed, or their provider does not vouch for them until they
 * log in again.
 */
export async function loginEnd(
  transaction: Pick<Transaction, 'person'>,
  login: string,
): Promise<'removed' | 'unvouched' | undefined> {
  const people = await transaction.person.findMany({
    where: { OR: [{ removedAt: { not: null } }, { unvouchedAt: { not: null } }] },
    select: { id: true, issuer: true, subject: true, removedAt: true },
  });
  const found = people.find((person) => loginOf(writtenId(person)) === login);
  if (found === undefined) return undefined;
  return found.removedAt === null ? 'unvouched' : 'removed';
}
