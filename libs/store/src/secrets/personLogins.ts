/** The logins of people at servers, which are stored like secrets and end with their person. */
import { loginOf } from '@baton/protocol';

import type { Database } from '../database/database.ts';
import { reservedPrefix } from './reserved.ts';

interface NamedPerson {
  readonly id: string;
  /** Who vouches for them, and their name there; none for a person who was made by hand. */
  readonly issuer?: string | null;
  readonly subject?: string | null;
}

/** How journals and the audit name a person: the subject at the issuer, or the id of one who was made by hand. */
export const writtenId = ({ id, issuer, subject }: NamedPerson): string =>
  typeof issuer === 'string' && typeof subject === 'string' ? `${issuer}#${encoded(subject)}` : id;

/** Without brackets, and without blanks. */
const encoded = (text: string): string => encodeURIComponent(text).replaceAll('(', '%28').replaceAll(')', '%29');

type Transaction = Pick<Database['prisma'], 'secret' | 'person' | '$executeRaw'>;

/** `login`: absent for that of the installation. No server has a `~` in its name. */
export const authorizationName = (server: string, login: string | undefined): string =>
  `${reservedPrefix}${server}${login === undefined ? '' : `~${login}`}`;

/** What is saved for a login, and the end of its person, come one after the other. */
export const lockLogin = (transaction: Transaction, login: string): Promise<unknown> =>
  transaction.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${login}, 7002))`;

/** Deletes all that is stored for the logins of the person. */
export async function endLoginsOf(transaction: Transaction, person: NamedPerson): Promise<void> {
  const login = loginOf(writtenId(person));
  await lockLogin(transaction, login);
  await transaction.secret.deleteMany({ where: { name: { startsWith: reservedPrefix, endsWith: `~${login}` } } });
}

/** Whether the person of the login was removed. Lock the login first: they are not before the transaction ends. */
export async function isEndedLogin(transaction: Transaction, login: string): Promise<boolean> {
  const select = { id: true, issuer: true, subject: true } as const;
  const removed = await transaction.person.findMany({ where: { removedAt: { not: null } }, select });
  return removed.some((person) => loginOf(writtenId(person)) === login);
}
