/**
 * Stores people. Each change is an audit entry with all that the person has afterwards, so that verification finds a row
 * that was changed otherwise.
 */
import type { AuditedAction } from '@baton/api';
import type { Effect } from '@baton/language';
import { type Json, defined, isObject } from '@baton/primitives';
import { readAccount } from '@baton/protocol';

import { noteAction } from '../audit/entries.ts';
import type { Database } from '../database/database.ts';
import type { Prisma } from '../generated/client.ts';
import { checkStorable, isStorable } from '../journal/storableText.ts';
import { endClientsOf } from '../keys/connectedClients.ts';
import { endLoginsOf } from '../secrets/personLogins.ts';

/** What a person may do: a role, where, and up to which effect. */
export interface StoredGrant {
  readonly role: string;
  /** Patterns of workflows; absent: all. */
  readonly on?: readonly string[];
  /** The strongest effect; absent: any. */
  readonly effects?: Effect;
}

export interface Person {
  readonly id: string;
  readonly name: string;
  /** Who vouches for them, and their name there; undefined: a person who was made by hand. */
  readonly account: ProviderAccount | undefined;
  /** What they were given here. */
  readonly grants: readonly StoredGrant[];
  /** What the claims of their issuer gave them. */
  readonly claimed: readonly StoredGrant[];
  readonly createdBy: string;
  readonly createdAt: number;
  readonly removedAt: number | undefined;
  /** When they last did something; it may be later by a few minutes. */
  readonly seenAt: number | undefined;
  /** Until when their issuer vouches for them, sealed; undefined: it does not. */
  readonly voucher: string | undefined;
}

export interface ProviderAccount {
  readonly issuer: string;
  readonly subject: string;
}

/** Another person who was made by hand, and was not removed, has the name. */
export class PersonNameTakenError extends Error {
  override readonly name = 'PersonNameTakenError';
}

export type NewPerson = Pick<Person, 'id' | 'name' | 'grants'>;

/** Stores a person who was made by hand. Rejects with `PersonNameTakenError`. */
export async function addPerson(database: Database, { id, name, grants }: NewPerson, by: string): Promise<Person> {
  checkStorable('person', id, name);
  const { prisma, now } = database;
  return prisma.$transaction(async (transaction) => {
    await checkNameFree(transaction, name);
    const data = { id, name, grants: jsonOf(grants), createdBy: by, createdAt: new Date(now()) };
    const row = await transaction.person.create({ data });
    await notePerson(transaction, database, 'person.added', row, by);
    return personOf(row);
  });
}

/** Includes people who were removed: the caller decides what that means. */
export async function getPerson({ prisma }: Database, id: string): Promise<Person | undefined> {
  if (!isStorable(id)) return undefined;
  const row = await prisma.person.findUnique({ where: { id } });
  return row === null ? undefined : personOf(row);
}

/** As `getPerson`, by the id or as journals and the audit name the person (`writtenId`). */
export async function getWrittenPerson(database: Database, written: string): Promise<Person | undefined> {
  const account = readAccount(written);
  if (account === undefined || !isStorable(account.issuer) || !isStorable(account.subject))
    return getPerson(database, written);
  const row = await database.prisma.person.findUnique({ where: { issuer_subject: account } });
  return row === null ? undefined : personOf(row);
}

/** Oldest first, without those who were removed. */
export async function listPeople({ prisma }: Database): Promise<readonly Person[]> {
  const where = { removedAt: null };
  const rows = await prisma.person.findMany({ where, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
  return rows.map(personOf);
}

interface GrantChange {
  readonly action: Extract<AuditedAction, 'person.granted' | 'person.ungranted'>;
  readonly by: string;
  /** The grants that follow from those that the person has. Throws what the caller rejects with. */
  readonly next: (before: readonly StoredGrant[]) => readonly StoredGrant[];
}

/**
 * Changes what a person was given. Links with which they could have logged in are void from then on, and what is given
 * reaches no session and no client that began before: who made a link could use it to have what they may not give. A person
 * of an identity provider has no links. Undefined where there is no such person.
 */
export async function changeGrants(
  database: Database,
  id: string,
  { action, by, next }: GrantChange,
): Promise<Person | undefined> {
  if (!isStorable(id)) return undefined;
  return database.prisma.$transaction(async (transaction) => {
    await lockPerson(transaction, id);
    const before = await transaction.person.findFirst({ where: { id, removedAt: null } });
    if (before === null) return undefined;
    const grants = jsonOf(next(grantsIn(before.grants)));
    const row = await transaction.person.update({ where: { id }, data: { grants } });
    await transaction.loginCode.deleteMany({ where: { keyId: id } });
    if (action === 'person.granted' && before.issuer === null) {
      await transaction.loginSession.deleteMany({ where: { keyId: id } });
      await endClientsOf(transaction, [id]);
    }
    await notePerson(transaction, database, action, row, by);
    return personOf(row);
  });
}

/**
 * Ends the sessions and clients of a person, and their logins at servers (`endedLogins`), and revokes their keys. Returns
 * the keys; undefined where there is no such person, or they were removed before.
 */
export async function removePerson(database: Database, id: string, by: string): Promise<readonly string[] | undefined> {
  if (!isStorable(id)) return undefined;
  const { prisma, auditKeys, now } = database;
  return prisma.$transaction(async (transaction) => {
    await lockPerson(transaction, id);
    const removedAt = new Date(now());
    const { count } = await transaction.person.updateMany({ where: { id, removedAt: null }, data: { removedAt } });
    if (count === 0) return undefined;
    const person = await transaction.person.findUniqueOrThrow({ where: { id } });
    await endLoginsOf(transaction, person, { by, at: removedAt });
    const keys = await transaction.apiKey.findMany({ where: { person: id, revokedAt: null }, select: { id: true } });
    const holders = [id, ...keys.map((key) => key.id)];
    await transaction.loginCode.deleteMany({ where: { keyId: { in: holders } } });
    await transaction.loginSession.deleteMany({ where: { keyId: { in: holders } } });
    await endClientsOf(transaction, holders);
    await transaction.apiKey.updateMany({ where: { person: id, revokedAt: null }, data: { revokedAt: removedAt } });
    for (const key of keys)
      await noteAction(transaction, { auditKeys, now }, { by, action: 'key.revoked', target: key.id });
    await noteAction(transaction, { auditKeys, now }, { by, action: 'person.removed', target: id });
    return keys.map((key) => key.id);
  });
}

/**
 * Lets a person in again who was removed, with what they had. False where there is none. Rejects with
 * `PersonNameTakenError`.
 */
export async function restorePerson(database: Database, id: string, by: string): Promise<boolean> {
  if (!isStorable(id)) return false;
  return database.prisma.$transaction(async (transaction) => {
    await lockPerson(transaction, id);
    const removed = await transaction.person.findFirst({ where: { id, removedAt: { not: null } } });
    if (removed === null) return false;
    if (removed.issuer === null) await checkNameFree(transaction, removed.name);
    await transaction.person.update({ where: { id }, data: { removedAt: null } });
    await noteAction(transaction, database, { by, action: 'person.restored', target: id });
    return true;
  });
}

export type PersonTransaction = Pick<Database['prisma'], 'person' | '$executeRaw' | '$queryRaw'>;

/** Of people who were made by hand, one has a name. Rejects with `PersonNameTakenError`. */
async function checkNameFree(transaction: PersonTransaction, name: string): Promise<void> {
  await transaction.$executeRaw`select pg_advisory_xact_lock(hashtextextended('person ' || ${name}, 0))`;
  const holder = await transaction.person.findFirst({ where: { name, issuer: null, removedAt: null } });
  if (holder !== null) throw new PersonNameTakenError(`the person ${holder.id} has the name`);
}

export const lockPerson = (transaction: PersonTransaction, id: string): Promise<unknown> =>
  transaction.$executeRaw`select from person where id = ${id} for update`;

export const notePerson = (
  transaction: PersonTransaction,
  { auditKeys, now }: Database,
  action: AuditedAction,
  row: PersonRow,
  by: string,
): Promise<void> =>
  noteAction(transaction, { auditKeys, now }, { by, action, target: row.id, detail: personDetail(row) });

/** What a person is and has, as the audit records it. */
export const personDetail = ({ name, issuer, subject, grants, claimed, unvouchedAt }: PersonRow) => ({
  name,
  ...defined({ issuer: issuer ?? undefined, subject: subject ?? undefined }),
  grants: recorded(grants),
  ...(JSON.stringify(claimed) === '[]' ? {} : { claimed: recorded(claimed) }),
  ...(unvouchedAt !== null && { isUnvouched: true }),
});

/** Whether both would be recorded in the same words. */
export const isSameRow = (one: PersonRow, other: PersonRow): boolean =>
  JSON.stringify(personDetail(one)) === JSON.stringify(personDetail(other));

/** In one order of members, so that equal grants are equal texts. */
export const jsonOf = (grants: readonly StoredGrant[]) =>
  grants.map(({ role, on, effects }) => ({ role, ...(on && { on: [...on] }), ...(effects && { effects }) }));

/** What a tampered row has instead is no grant. */
const grantsIn = (stored: Prisma.JsonValue): readonly StoredGrant[] =>
  areGrants(stored) ? (stored as unknown as StoredGrant[]) : [];

const areGrants = (stored: Prisma.JsonValue): boolean => Array.isArray(stored) && stored.every(isObject);

/** A tampered one is compared as it is. */
const recorded = (stored: Prisma.JsonValue): Json => (areGrants(stored) ? jsonOf(grantsIn(stored)) : (stored as Json));

/** A row of `person`. */
export interface PersonRow {
  readonly id: string;
  readonly name: string;
  readonly issuer: string | null;
  readonly subject: string | null;
  readonly grants: Prisma.JsonValue;
  readonly claimed: Prisma.JsonValue;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly removedAt: Date | null;
  readonly seenAt: Date | null;
  readonly voucher: string | null;
  readonly askedAt: Date | null;
  readonly unvouchedAt: Date | null;
}

export const personOf = ({
  issuer,
  subject,
  grants,
  claimed,
  createdAt,
  removedAt,
  seenAt,
  voucher,
  askedAt: _lease,
  unvouchedAt: _suspends,
  ...row
}: PersonRow): Person => ({
  ...row,
  account: issuer === null || subject === null ? undefined : { issuer, subject },
  grants: grantsIn(grants),
  claimed: grantsIn(claimed),
  createdAt: createdAt.getTime(),
  removedAt: removedAt?.getTime(),
  seenAt: seenAt?.getTime(),
  voucher: voucher ?? undefined,
});
