/**
 * People of an identity provider. Who they are and what its claims give them is in the audit, like what is given here; a
 * voucher says until when, and is sealed by the caller.
 */
import { noteAction } from '../audit/entries.ts';
import type { Database } from '../database/database.ts';
import { checkStorable, isStorable } from '../journal/storableText.ts';
import {
  type Person,
  type PersonRow,
  type ProviderAccount,
  type StoredGrant,
  isSameRow,
  jsonOf,
  lockPerson,
  notePerson,
  personOf,
} from './people.ts';

export interface AccountLogIn {
  readonly account: ProviderAccount;
  readonly name: string;
  /** What the claims give. */
  readonly claimed: readonly StoredGrant[];
  /** Of the person with that id. */
  readonly voucherFor: (id: string) => string;
  /** The id, and how the audit names who adds them, if they are not known yet. */
  readonly added: { readonly id: string; readonly by: string };
}

/**
 * The person of an account who has logged in; added at the first time. One who was removed stays as they are: the caller
 * decides what that means.
 */
export async function putAccount(database: Database, logIn: AccountLogIn): Promise<Person> {
  const { account, name, claimed, voucherFor, added } = logIn;
  return withAccount(database, account, name, async (transaction, known) => {
    if (known === null) {
      const row = { ...added, name, account, claimed: jsonOf(claimed), voucher: voucherFor(added.id) };
      return addAccount(transaction, database, row);
    }
    if (known.removedAt !== null) return personOf(known);
    return renew(transaction, database, known.id, { name, claimed, voucher: voucherFor(known.id) });
  });
}

/**
 * The person of an account for whom their issuer speaks with each token; added at the first one. One who was removed stays
 * as they are: the caller decides what that means.
 */
export async function ensureAccount(
  database: Database,
  { account, name, added }: Pick<AccountLogIn, 'account' | 'name' | 'added'>,
): Promise<Person> {
  return withAccount(database, account, name, async (transaction, known) =>
    known === null
      ? addAccount(transaction, database, { ...added, name, account, claimed: [], voucher: null })
      : personOf(known),
  );
}

/** One at a time for each account. */
async function withAccount(
  { prisma }: Database,
  account: ProviderAccount,
  name: string,
  act: (transaction: AccountTransaction, known: PersonRow | null) => Promise<Person>,
): Promise<Person> {
  checkStorable('person', account.issuer, account.subject, name);
  return prisma.$transaction(async (transaction) => {
    const lock = `account ${account.issuer} ${account.subject}`;
    await transaction.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`;
    return act(transaction, await transaction.person.findUnique({ where: { issuer_subject: { ...account } } }));
  });
}

interface AddedAccount {
  readonly id: string;
  readonly by: string;
  readonly name: string;
  readonly account: ProviderAccount;
  readonly claimed: ReturnType<typeof jsonOf>;
  readonly voucher: string | null;
}

async function addAccount(
  transaction: AccountTransaction,
  database: Database,
  { id, by, name, account, claimed, voucher }: AddedAccount,
): Promise<Person> {
  const at = new Date(database.now());
  const times = { createdAt: at, askedAt: at, seenAt: at };
  const row = await transaction.person.create({
    data: { id, name, ...account, claimed, createdBy: by, ...times, voucher },
  });
  await notePerson(transaction, database, 'person.added', row, by);
  return personOf(row);
}

interface RenewedAccount {
  /** The voucher with which the provider was asked: a newer one came from a log-in, and stays. */
  readonly asked: string;
  /** Absent: as before. */
  readonly name?: string | undefined;
  readonly claimed?: readonly StoredGrant[] | undefined;
  readonly voucher: string;
}

/** Keeps what the provider says of a person now. Undefined where they were removed, or have another voucher. */
export async function renewAccount(
  database: Database,
  id: string,
  renewed: RenewedAccount,
): Promise<Person | undefined> {
  return database.prisma.$transaction(async (transaction) => {
    await lockPerson(transaction, id);
    const known = await transaction.person.findFirst({ where: { id, removedAt: null, voucher: renewed.asked } });
    return known === null ? undefined : renew(transaction, database, id, renewed);
  });
}

/**
 * False where the provider was asked since `before`: of several processes one asks it, as many providers take a refresh
 * token only once.
 */
export async function takeAsking({ prisma, now }: Database, id: string, before: number): Promise<boolean> {
  if (!isStorable(id)) return false;
  const { count } = await prisma.person.updateMany({
    where: { id, OR: [{ askedAt: null }, { askedAt: { lt: new Date(before) } }] },
    data: { askedAt: new Date(now()) },
  });
  return count > 0;
}

/**
 * The provider does not vouch for the person any more: ends their sessions, and what its claims gave. Until they log in
 * again, no call uses their logins at servers. `asked`: the voucher with which it was asked.
 */
export async function endAccount(
  database: Database,
  id: string,
  { asked, by }: { readonly asked: string; readonly by: string },
): Promise<void> {
  const { auditKeys, now } = database;
  await database.prisma.$transaction(async (transaction) => {
    await lockPerson(transaction, id);
    const known = await transaction.person.findFirst({ where: { id, voucher: asked } });
    if (known === null) return;
    const row = await transaction.person.update({
      where: { id },
      data: { voucher: null, claimed: [], unvouchedAt: new Date(now()) },
    });
    await transaction.loginCode.deleteMany({ where: { keyId: id } });
    const sessions = await transaction.loginSession.findMany({ where: { keyId: id }, select: { id: true } });
    await transaction.loginSession.deleteMany({ where: { keyId: id } });
    for (const { id: target } of sessions)
      await noteAction(transaction, { auditKeys, now }, { by, action: 'session.ended', target });
    await notePerson(transaction, database, 'person.unvouched', row, by);
  });
}

/** A person is written so often at the most, however much they do. */
const seenEveryMs = 5 * 60_000;

/** Notes that people did something; `ids` may have those of keys. */
export async function noteSeen({ prisma }: Database, ids: readonly string[], at: number): Promise<void> {
  const isOld = [{ seenAt: null }, { seenAt: { lt: new Date(at - seenEveryMs) } }];
  await prisma.person.updateMany({ where: { id: { in: [...ids] }, OR: isOld }, data: { seenAt: new Date(at) } });
}

type AccountTransaction = Parameters<typeof notePerson>[0];

/** A change of the name or of the claims is an audit entry. */
async function renew(
  transaction: AccountTransaction,
  database: Database,
  id: string,
  { name, claimed, voucher }: Omit<RenewedAccount, 'asked'>,
): Promise<Person> {
  const before = await transaction.person.findUniqueOrThrow({ where: { id } });
  const data = { ...(name !== undefined && { name }), ...(claimed && { claimed: jsonOf(claimed) }) };
  const row = await transaction.person.update({ where: { id }, data: { ...data, voucher, unvouchedAt: null } });
  if (!isSameRow(before, row)) await notePerson(transaction, database, 'person.changed', row, `${row.issuer}`);
  return personOf(row);
}
